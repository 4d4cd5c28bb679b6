/** `npm run sbom`: prints the components that the product ships for this machine's architecture, as CycloneDX. */
import { readFileSync } from 'node:fs';
import { inRoot, root } from '../lib/paths.mjs';
import { architectureOf } from './architecture.ts';
import { listComponents } from './components.ts';
import { runProgram } from './program.ts';

const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { version: string }; // as: the package file of the root
const committedS = Number(await runProgram('git', ['show', '-s', '--format=%ct', 'HEAD'], { cwd: root }));
const source = { folder: root, version: { semver: version, debian: version, isTagged: false }, committedS, env: {} };
process.stdout.write(`${JSON.stringify(await listComponents(source, architectureOf(process.arch)), null, 1)}\n`);
