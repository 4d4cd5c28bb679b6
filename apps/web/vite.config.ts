import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
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
  plugins: [react(), routesWithoutShapes, packed],
  server: { proxy: { '/api': { target: server, ws: true } } },
  preview: { proxy: { '/api': { target: server, ws: true } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The server reads in it what a page is made of.
    manifest: true,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What is drawn before anything else, the sign-in, and nothing but that.
            { name: 'first', tags: ['$initial'], priority: 3 },
            // What every other page uses comes in one piece: each file costs a request and its headers.
            { name: 'shared', minShareCount: 24, priority: 2 },
          ],
        },
      },
    },
  },
});
