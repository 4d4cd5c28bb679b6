import { readdirSync, readFileSync } from 'node:fs';

/** A process with its start time, which distinguishes it from a later process with the same number. */
export interface Seen {
  pid: number;
  began: string;
  command: string;
}

interface Entry extends Seen {
  parent: number;
  state: string;
}

function entryOf(pid: number): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, state: fields[0] ?? '', parent: Number(fields[1]), began: fields[19] ?? '', command };
  } catch {
    return undefined;
  }
}

const everyEntry = (): Entry[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => entryOf(Number(name)) ?? []);

/** A process with all its descendants. */
export function familyOf(pid: number): Seen[] {
  const entries = everyEntry();
  const family = entries.filter((entry) => entry.pid === pid);
  for (const member of family) family.push(...entries.filter((entry) => entry.parent === member.pid));
  return family;
}

/** The processes that still run; zombies do not count. */
export const stillRunning = (family: readonly Seen[]): Seen[] =>
  family.filter(({ pid, began }) => {
    const now = entryOf(pid);
    return now?.began === began && now.state !== 'Z';
  });

/** The member whose command line matches. */
export function memberOf(family: readonly Seen[], pattern: RegExp): Seen {
  const found = family.find(({ command }) => pattern.test(command));
  if (!found) throw new Error(`no process matches ${pattern} among:\n${family.map(({ command }) => command).join('\n')}`);
  return found;
}
