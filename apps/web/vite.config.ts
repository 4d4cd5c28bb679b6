import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkOf } from './build/chunk-of.ts';
import { partsByFile } from './build/parts-by-file.ts';
import { schemasApart } from './build/schemas-apart.ts';

const server = `http://127.0.0.1:${process.env['HES_PORT'] ?? '8080'}`;

/** Compresses scripts and styles once at the highest level; the server sends these files unchanged. */
const packed: Plugin = {
  name: 'packed-assets',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const assets = path.join(dir, 'assets');
    for (const name of readdirSync(assets).filter((file) => /\.(?:js|css)$/.test(file)))
      writeFileSync(path.join(assets, `${name}.br`), brotliCompressSync(readFileSync(path.join(assets, name))));
  },
};

export default defineConfig({
  base: '/hes/',
  plugins: [react(), partsByFile(), schemasApart, packed],
  server: { proxy: { '/api': { target: server, ws: true } } },
  preview: { proxy: { '/api': { target: server, ws: true } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The server reads the chunks of a page from it.
    manifest: true,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      treeshake: {
        moduleSideEffects: [
          { test: /\.css$/, sideEffects: true },
          // These packages have no side effects either, but unlike antd do not declare it.
          { test: /node_modules[\\/]@(?:rc-component|ant-design)[\\/]/, sideEffects: false },
        ],
      },
      output: {
        codeSplitting: {
          groups: [
            // Modules that every start needs.
            { name: 'first', tags: ['$initial'], priority: 3 },
            { debugName: 'by first render', name: chunkOf, priority: 2 },
            // Modules that most pages use share one chunk.
            { name: 'shared', minShareCount: 24, priority: 1 },
          ],
        },
      },
    },
  },
});
