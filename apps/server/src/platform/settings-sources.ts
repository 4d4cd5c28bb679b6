import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { EVERY_SETTING } from './declared-settings.ts';
import { isSet, type Environment } from './settings-text.ts';
import { StartError } from './start-error.ts';

const FILE = '_FILE';
const NAMES: readonly string[] = EVERY_SETTING.map(([name]) => name);

/** Variables of our tests, benchmarks and tools, which a head-end that they start inherits. */
const OF_TOOLS =
  /^HES_(TEST|E2E|BENCH|MUTANTS|TRUTH)_|^HES_(CHROMIUM|INTEROP|COLUMNS|TRACE|PASSWORD|TOKEN|URL|USER|CLIENT|TITLE|CLOCK_AHEAD_FILE)$/;
/** Kubernetes sets these in all containers beside a service whose name begins with hes. */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;

/** Number of inserted, removed and replaced characters between two names. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + Number(letter !== b[j])));
    row = next;
  }
  return row.at(-1) ?? 0;
}

const nearestTo = (name: string): string =>
  NAMES.map((known) => ({ known, distance: distanceOf(name, known) })).toSorted((a, b) => a.distance - b.distance)[0]?.known ?? '';

function refuseUnknown(names: string[], source: string): void {
  for (const name of names) {
    const setting = name.endsWith(FILE) ? name.slice(0, -FILE.length) : name;
    if (NAMES.includes(setting) && name !== `HES_CONFIG${FILE}`) continue;
    throw new StartError(`${name} in ${source} is no setting. Did you mean ${nearestTo(setting)}? docs/settings.md lists all of them.`);
  }
}

function contentOf(file: string, name: string, workingDir: string): string {
  try {
    return readFileSync(resolve(workingDir, file), 'utf8');
  } catch (cause) {
    throw new StartError(`${name} is "${file}", which cannot be read. Set it to a file that this user can read.`, { cause });
  }
}

/** Replaces each `NAME_FILE` by `NAME` with the content of that file, without its last line break. */
function withFiles(settings: Environment, workingDir: string): Environment {
  const found = NAMES.filter((name) => isSet(settings, `${name}${FILE}`)).map((name) => {
    const variable = `${name}${FILE}`;
    if (isSet(settings, name)) throw new StartError(`${name} and ${variable} are both set. Keep one of them.`);
    return [name, contentOf(settings[variable]?.trim() ?? '', variable, workingDir).replace(/\r?\n$/, '')];
  });
  return { ...settings, ...Object.fromEntries(found) };
}

/**
 * All settings of the process: those of the environment, and of the file of HES_CONFIG where the environment has none. Each one may be in a
 * file of its own, which `NAME_FILE` names. Throws `StartError` for unknown names and unreadable files.
 */
export function gatherSettings(environment: Environment, workingDir: string): Environment {
  const own = Object.keys(environment).filter((name) => name.startsWith('HES_') && environment[name] !== '');
  refuseUnknown(
    own.filter((name) => !OF_TOOLS.test(name) && !OF_KUBERNETES.test(name)),
    'the environment',
  );
  const given = withFiles(environment, workingDir);
  if (!isSet(given, 'HES_CONFIG')) return given;
  const file = given['HES_CONFIG']?.trim() ?? '';
  const written = parseEnv(contentOf(file, 'HES_CONFIG', workingDir));
  refuseUnknown(Object.keys(written), file);
  const present = Object.fromEntries(Object.entries(given).filter(([name]) => isSet(given, name)));
  return { ...withFiles(written, workingDir), ...present };
}
