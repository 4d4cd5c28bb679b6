import { createReadStream, createWriteStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { runProgram } from './program.ts';

interface PackOptions {
  /** Folder that the paths of the archive start from. */
  from: string;
  /** Paths below it. */
  paths: readonly string[];
  target: string;
  committedS: number;
  /** Replaces the beginning of each path: `^stage,hes-0.1.0`. */
  transform?: string;
  owner?: number;
}

/** Order, times, owners and modes are those of the release, not of the machine that builds it. */
const sameEverywhere = (committedS: number, owner: number): string[] => [
  '--format=gnu',
  '--sort=name',
  `--mtime=@${committedS}`,
  `--owner=${owner}`,
  `--group=${owner}`,
  '--numeric-owner',
  '--mode=u+rwX,go+rX,go-w',
];

/** Writes an uncompressed tar archive. */
export async function writeTar({ from, paths, target, committedS, transform, owner = 0 }: PackOptions): Promise<void> {
  // Links keep their target: the flag S excludes the target of symbolic links from the replacement.
  const renamed = transform === undefined ? [] : [`--transform=flags=rSH;s,${transform},`];
  await runProgram('tar', ['-cf', target, ...sameEverywhere(committedS, owner), ...renamed, '-C', from, ...paths]);
}

/** Compresses a file without name and time, and removes the original. */
export async function compress(file: string, target: string): Promise<void> {
  await pipeline(createReadStream(file), createGzip({ level: 6 }), createWriteStream(target));
  await rm(file);
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
