import { createReadStream, existsSync, mkdirSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { StartError } from '#platform/start-error.ts';
import { canDo, type Identity } from '../embedded/unprivileged.ts';
import type { DatabaseSettings } from '../embedded/postmaster.ts';
import { walOf } from './layout.ts';

const SEGMENT = /^[0-9A-F]{24}$/;
const SUFFIX = '.gz';
const SEGMENT_OCTETS = 16 * 1_048_576;
const TIMELINE_DIGITS = 8;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
/** PostgreSQL replaces %p and %f, so a percent sign of a path is doubled. */
const inCommand = (path: string): string => quoted(path).replaceAll('%', '%%');

/** Order of segments: position in the WAL, whatever the timeline. */
export const positionOf = (segment: string): string => segment.slice(TIMELINE_DIGITS);

/** Creates the folder of the archive for the user of the database. Throws `StartError` if that user cannot write it. */
export function openArchive(folder: string, identity: Identity | undefined): string {
  const wal = walOf(folder);
  try {
    mkdirSync(wal, { recursive: true, mode: 0o700 });
    if (identity !== undefined) chownSync(wal, identity.uid, identity.gid);
  } catch (cause) {
    throw new StartError(
      `The backup folder ${folder} cannot be written. Give this user the right, or set HES_BACKUP_FOLDER to another one.`,
      {
        cause,
      },
    );
  }
  if (!canDo(identity, 'cd "$1" && test -w .', wal))
    throw new StartError(
      `The built-in database runs as user ${identity?.uid ?? ''} and cannot reach ${wal}. Let others enter the folders above it (chmod o+x), or set HES_BACKUP_FOLDER to another folder.`,
    );
  return wal;
}

/**
 * Settings that archive each segment of the WAL when it is full or `withinS` old. A segment appears under its name when it is complete and
 * durable; one that is there already must be equal.
 */
export function archiveSettings(wal: string, withinS: number): DatabaseSettings {
  const target = `${inCommand(wal)}/%f${SUFFIX}`;
  const same = `gzip -dc <${target} | cmp -s - "%p"`;
  const store = `gzip -1 <"%p" >${target}.part && dd if=/dev/null of=${target}.part conv=notrunc,fsync 2>/dev/null && mv ${target}.part ${target}`;
  return { archive_mode: 'on', archive_timeout: `${withinS}s`, archive_command: `if test -f ${target}; then ${same}; else ${store}; fi` };
}

export const restoreCommand = (wal: string): string => {
  const source = `${inCommand(wal)}/%f${SUFFIX}`;
  return `test -f ${source} && gzip -dc <${source} >"%p"`;
};

/** Names of the archived segments, oldest first. */
export const listSegments = (folder: string): string[] =>
  existsSync(walOf(folder))
    ? readdirSync(walOf(folder))
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => name.slice(0, -SUFFIX.length))
        .filter((name) => SEGMENT.test(name))
        .toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1))
    : [];

export const segmentFile = (folder: string, segment: string): string => join(walOf(folder), `${segment}${SUFFIX}`);

/** Position after a segment of 16 MB: 256 of them have one number of the log. */
function nextPosition(position: string): string {
  const next = BigInt(`0x${position.slice(0, 8)}`) * 256n + BigInt(`0x${position.slice(8)}`) + 1n;
  const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, '0');
  return hex(next / 256n) + hex(next % 256n);
}

async function octetsOf(file: string): Promise<number> {
  let octets = 0;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      octets += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(file), createGunzip(), count);
  return octets;
}

/** Reads every archived segment from `first` on: each must be whole, and none may be missing in between. Throws `StartError`. */
export async function checkSegments(folder: string, first: string, last: string): Promise<void> {
  const segments = listSegments(folder).filter((name) => positionOf(name) >= positionOf(first));
  const known = new Set(segments.map(positionOf));
  for (let position = positionOf(first); position <= positionOf(segments.at(-1) ?? last); position = nextPosition(position))
    if (!known.has(position))
      throw new StartError(
        `The archive ${walOf(folder)} lacks the WAL segment ${first.slice(0, TIMELINE_DIGITS)}${position}. Restore to an earlier time, or use a later backup.`,
      );
  for (const segment of segments) {
    const octets = await octetsOf(segmentFile(folder, segment)).catch(() => 0);
    if (octets !== SEGMENT_OCTETS)
      throw new StartError(
        `The WAL segment ${segmentFile(folder, segment)} is damaged. Restore to a time before it, or use a later backup.`,
      );
  }
}
