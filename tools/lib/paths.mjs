import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the clone. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Cache of the tools between runs; ignored by git, and safe to delete. */
export const cacheFolder = path.join(root, '.cache');

/** @param {string} relative */
export const inRoot = (relative) => path.join(root, relative);
