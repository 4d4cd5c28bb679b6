import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the clone. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** What tools may keep between runs; git ignores it, and deleting it only costs time. */
export const cacheFolder = path.join(root, '.cache');

/** @param {string} relative */
export const inRoot = (relative) => path.join(root, relative);
