/** `npm run docs:library`: builds the documentation of the library, and prints the file to open. */
import path from 'node:path';
import { buildDocs } from './build-docs.ts';

process.stdout.write(`${path.join(await buildDocs(), 'index.html')}\n`);
