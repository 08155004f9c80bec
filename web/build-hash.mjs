// Says which sources `dist` was built from, so that a stale `dist` is found without Node.
//
// The algorithm, which a Rust test repeats:
//   files  = every file under src/, and index.html, package-lock.json, vite.config.ts
//   path   = relative to web/, with forward slashes; files are sorted by the bytes of their path
//   digest = SHA-256 over, for each file: path, one NUL byte, SHA-256 of its content in lower case
//            hexadecimal, one LF
// dist/BUILD holds the digest in lower case hexadecimal and one LF.
//
//   node build-hash.mjs           prints the digest of the sources
//   node build-hash.mjs --write   writes it to dist/BUILD
//   node build-hash.mjs --check   exits 1 if dist/BUILD says something else

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = import.meta.dirname;
const buildFile = join(root, 'dist', 'BUILD');

function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

function digestOfSources() {
  const files = [...filesUnder('src'), 'index.html', 'package-lock.json', 'vite.config.ts'];
  files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines = files.map((path) => `${path}\0${sha256(readFileSync(join(root, path)))}\n`);
  return sha256(lines.join(''));
}

const digest = digestOfSources();
switch (process.argv[2]) {
  case '--write':
    writeFileSync(buildFile, `${digest}\n`);
    break;
  case '--check':
    if (readFileSync(buildFile, 'utf8') !== `${digest}\n`) {
      console.error('error: dist was built from other sources\nhint: run `npm run build`');
      process.exitCode = 1;
    }
    break;
  default:
    console.log(digest);
}
