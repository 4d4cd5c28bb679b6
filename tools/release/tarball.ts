import path from 'node:path';
import { compress, writeTar } from './pack.ts';
import type { Built } from './built.ts';

/** Writes the installed tree as one folder in a compressed tar archive. */
export async function writeTarball({ stage, architecture, source, out }: Built): Promise<string> {
  const name = `hes-${source.version.semver}-linux-${architecture.node}`;
  const target = path.join(out, `${name}.tar.gz`);
  await writeTar({ from: stage, paths: ['.'], target: `${target}.tar`, committedS: source.committedS, transform: `^\\.,${name}` });
  await compress(`${target}.tar`, target);
  return target;
}
