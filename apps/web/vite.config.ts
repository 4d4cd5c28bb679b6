import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkOf } from './build/chunk-of.ts';
import { partsByFile } from './build/parts-by-file.ts';
import { routesWithoutShapes } from './build/routes-without-shapes.ts';

const server = `http://127.0.0.1:${process.env['HES_PORT'] ?? '8080'}`;

/** Packs what is packable as well as it can be, once: the server sends these files as they lie there. */
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
  plugins: [react(), partsByFile(), routesWithoutShapes, packed],
  server: { proxy: { '/api': { target: server, ws: true } } },
  preview: { proxy: { '/api': { target: server, ws: true } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The server reads in it what a page is made of.
    manifest: true,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      treeshake: {
        moduleSideEffects: [
          { test: /\.css$/, sideEffects: true },
          // The parts of the component library do nothing when they are loaded; it says so of itself, they do not.
          { test: /node_modules[\\/]@(?:rc-component|ant-design)[\\/]/, sideEffects: false },
        ],
      },
      output: {
        codeSplitting: {
          groups: [
            // What is read before anything else, and nothing but that.
            { name: 'first', tags: ['$initial'], priority: 3 },
            { debugName: 'by what is drawn first', name: chunkOf, priority: 2 },
            // What most pages use comes in one piece.
            { name: 'shared', minShareCount: 24, priority: 1 },
          ],
        },
      },
    },
  },
});
