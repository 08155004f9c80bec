// How the page is built: a script for the rows and others for what can wait, one style sheet, fixed
// names, no inline code.
//
// The server embeds exactly these files, so their names carry no hash, and its content security
// policy allows no inline script and no data: image, so nothing may be inlined.

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** The names of the scripts that are loaded later; `crates/server/src/assets.rs` has them too. */
const CHUNKS: Record<string, string> = {
  'query-view': 'editor',
  'uPlot.esm': 'plot',
};

export default defineConfig({
  publicDir: 'src/static',
  plugins: [svelte({ configFile: false, compilerOptions: { css: 'external' } })],
  server: {
    proxy: { '/api': 'http://127.0.0.1:8514' },
  },
  build: {
    target: 'es2022',
    // Browsers that know light-dark(), so that it stays as written.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: 'app.js',
        assetFileNames: 'app[extname]',
        // The editor is compiled as a whole while it loads, not function by function at the first key.
        postBanner: ({ name }) => (name === 'query-view' ? '//# allFunctionsCalledOnLoad' : ''),
        chunkFileNames: ({ name }) => `${CHUNKS[name] ?? name}.js`,
      },
    },
  },
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
  },
});
