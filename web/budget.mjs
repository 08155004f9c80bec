// Fails the build when the page grows past its budget: 200 KiB, gzip, all files together.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';

const BUDGET_BYTES = 200 * 1024;

let total = 0;
for (const name of readdirSync(join(import.meta.dirname, 'dist')).filter((each) => each !== 'BUILD')) {
  const content = readFileSync(join(import.meta.dirname, 'dist', name));
  const packed = gzipSync(content, { level: 9 }).length;
  total += packed;
  console.log(`${name.padEnd(12)} ${content.length} bytes, ${packed} gzip`);
}
console.log(`${'total'.padEnd(12)} ${total} gzip of ${BUDGET_BYTES}`);
if (total > BUDGET_BYTES) {
  console.error('error: the page is larger than its budget');
  process.exitCode = 1;
}
