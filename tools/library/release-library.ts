/**
 * `npm run release:library -- --dry-run`: builds the packages and shows what would be published. With `--publish` it publishes them, in the
 * order of their dependencies, as the user who is signed in to npm.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildLibrary } from './build-library.ts';
import { npm } from './consumer.ts';
import { LIBRARY, ROOT, VERSION } from './packages.ts';

const isReal = process.argv.includes('--publish');
if (isReal === process.argv.includes('--dry-run')) {
  console.error('Give --dry-run to see what would be published, or --publish to publish it.');
  process.exit(2);
}

for (const { documents } of LIBRARY) {
  const changes = readFileSync(path.join(ROOT, documents, 'CHANGELOG.md'), 'utf8');
  const isDated = new RegExp(String.raw`^## \[${VERSION.replaceAll('.', String.raw`\.`)}\] - \d{4}-\d\d-\d\d$`, 'm').test(changes);
  if (!isDated) console.error(`${documents}/CHANGELOG.md has no date for ${VERSION}.`);
  if (!isDated && isReal) process.exit(1);
}

for (const folder of await buildLibrary())
  process.stdout.write(await npm(['publish', '--access', 'public', '--loglevel', 'notice', ...(isReal ? [] : ['--dry-run'])], folder));
