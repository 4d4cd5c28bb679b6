/** `npm run manual`: builds the manuals of operators and administrators; `--pictures` takes the pictures of the pages anew. */
import path from 'node:path';
import { buildManual } from './build-manual.ts';
import { ROOT } from './chapters.ts';
import { takePictures } from './pictures.ts';

const folder = path.join(ROOT, '.cache/manual');
if (process.argv.includes('--pictures')) process.stdout.write(`${await takePictures(folder)} pictures\n`);
process.stdout.write(`${buildManual(folder)}\n`);
