// When the page has drawn its first rows, for what measures it.

/**
 * Notes, from within the page, when the frame with the first rows has been drawn, and calls
 * `rowsDrawn()`, which has to be exposed.
 */
export function watchRows() {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    globalThis.rowsAt = performance.now();
    globalThis.rowsDrawn();
  };
  const look = () => {
    // A message that is sent before a frame is drawn comes after it.
    if (document.querySelector('[data-testid="row"]')) port2.postMessage(null);
    else requestAnimationFrame(look);
  };
  look();
}
