import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LIBRARY, ROOT } from './packages.ts';

/** A fenced example of a README or a program of the documentation, and what it prints. */
export interface Example {
  /** Name in the comment before it, or name of the file. */
  name: string;
  code: string;
  /** A service that the other examples use runs until it is stopped. */
  isService: boolean;
  prints: RegExp;
}

/** Programs of the documentation. */
export const RECIPES = 'packages/dlms/docs/recipes';
/** Names that the examples give to a serial port, which is a pseudo terminal in the tests. */
const SERIAL_PORT = '/dev/ttyUSB0';

/** Ports that the examples name. */
export const PORTS = { meter: 4059, push: 4060, serial: 4061 } as const;
export type Ports = Record<keyof typeof PORTS, number>;

/** Expected output of each example. An example without one is refused. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  decode: /^getResponse 1\n$/,
  exchanges: /^\{\s+type: ['"]longUnsigned['"],\s+value: 2301,?\s+\}\n$/,
  server: /^listening on \d+\n$/,
  browser: /^C0010000080000010000FF0200\n$/,
  webcrypto: /^deciphered C0010000080000010000FF0200\n$/,
  profile: /^0\.0\.1\.0\.0\.255 \| 0\.0\.96\.10\.1\.255 \| 1\.0\.1\.8\.0\.255 Wh\n(?:\S+T\d\d:(?:00|15|30|45):00\.000Z 0 \d+\n){3,5}$/,
  values: /^230\.1 V \| \d+ Wh\ndisconnected\ntrue true\n$/,
  push: /^undefined \{\s+type: ['"]unsigned['"],\s+value: 7,?\s+\}\n$/,
  stream: /^230\.1 V\n$/,
  meter: /^listening on \d+ and \d+\n$/,
  'read-a-register': /^230\.1 V\n230\.1 V \{\s+type: ['"]longUnsigned['"],\s+value: 2301,?\s+\}\n$/,
  'read-a-profile':
    /^column 0\.0\.1\.0\.0\.255 \n[^]*column 1\.0\.1\.8\.0\.255 Wh\n(?:\S+T\d\d:\d\d:00\.000Z \[\s+0,\s+\d+,?\s+\]\n){3,5}10 rows, one every 900 seconds\n$/,
  'read-under-keys': /^number Wh\n$/,
  'keep-the-counter': /^Wh 1\n$/,
  'receive-pushes': /^4845534D00000001 \{\s+type: ['"]unsigned['"],\s+value: 7,?\s+\}\n$/,
  'hdlc-over-tcp': /^230\.1 V\n$/,
  'optical-head': /^230\.1 V\n$/,
  'be-a-meter': /^50090 Wh\n$/,
  'meter-for-tests': /^passed\n$/,
  'decode-in-a-browser': /^version 1 \[0001\]\n[^]*getResponse  \[C401C1000600001391\]\n[^]*doubleLongUnsigned 5009[^]*\ncomplete\n$/,
};
const SERVICES: ReadonlySet<string> = new Set(['server', 'meter', 'push', 'receive-pushes']);
/** Examples that need parts of Node which other runtimes do not have. */
export const NODE_ONLY: ReadonlySet<string> = new Set(['optical-head']);

const EXAMPLE = /<!-- example: (\w+) -->\n```ts\n([^]*?)```/g;
const ANY_CODE = /```ts\n/g;

function exampleOf(name: string, code: string): Example {
  const prints = PRINTED[name];
  if (prints === undefined) throw new Error(`the example "${name}" has no expected output`);
  return { name, code, isService: SERVICES.has(name), prints };
}

/** The programs of the documentation. Throws if one has no expected output. */
export const recipes = (): Example[] =>
  readdirSync(path.join(ROOT, RECIPES)).map((file) =>
    exampleOf(path.basename(file, '.ts'), readFileSync(path.join(ROOT, RECIPES, file), 'utf8')),
  );

/** All examples of the READMEs. Throws if one has no name or no expected output. */
export function examplesOf(): Example[] {
  return LIBRARY.flatMap(({ documents }) => {
    const text = readFileSync(path.join(ROOT, documents, 'README.md'), 'utf8');
    const found = [...text.matchAll(EXAMPLE)];
    if (found.length !== [...text.matchAll(ANY_CODE)].length) throw new Error(`${documents}/README.md has an example without a name`);
    return found.map(([, name = '', code = '']) => exampleOf(name, code));
  });
}

/** The code with other ports. */
export const withPorts = (code: string, ports: Ports, terminal = SERIAL_PORT): string =>
  Object.entries(PORTS)
    .reduce((text, [name, port]) => text.replaceAll(String(port), String(ports[name as keyof Ports])), code) // as: a name of PORTS
    .replaceAll(`'${SERIAL_PORT}'`, `'${terminal}'`);
