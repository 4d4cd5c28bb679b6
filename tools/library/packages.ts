import path from 'node:path';

/** One published package: which sources it consists of, and what it exports. */
export interface LibraryPackage {
  /** Name in the registry; see decision 189. */
  name: string;
  description: string;
  keywords: readonly string[];
  /** Folder of the sources, below the root. */
  sources: string;
  /** A folder of the sources that belongs to another package. */
  without?: string;
  /** Folder with README.md and CHANGELOG.md. */
  documents: string;
  /** Entry by its path in the exports map. */
  entries: Readonly<Record<string, string>>;
  /** Program by name. */
  bin?: Readonly<Record<string, string>>;
  /** Oldest Node; absent for code that runs anywhere. */
  node?: string;
}

const KEYWORDS = ['dlms', 'cosem', 'iec-62056', 'smart-meter', 'metering', 'energy'] as const;
/** `hash` of node:crypto. */
const OLDEST_NODE = '>=20.12';

export const ROOT = path.resolve(import.meta.dirname, '../..');
/** Version of all three: they are released together. */
export const VERSION = '0.1.0';

export const LIBRARY: readonly LibraryPackage[] = [
  {
    name: 'dlms',
    description: 'DLMS/COSEM (IEC 62056) for TypeScript: client, server, codecs and security without I/O and without dependencies.',
    keywords: [...KEYWORDS, 'obis', 'hdlc', 'codec', 'sans-io'],
    sources: 'packages/dlms/src',
    documents: 'packages/dlms',
    entries: {
      '.': 'entry/root.ts',
      './classes': 'entry/classes.ts',
      './client': 'entry/client.ts',
      './server': 'entry/server.ts',
      './push': 'entry/push.ts',
      './hdlc': 'entry/hdlc.ts',
      './webcrypto': 'entry/webcrypto.ts',
      './testing': 'entry/testing.ts',
    },
  },
  {
    name: 'dlms-node',
    description: 'Read electricity meters over DLMS/COSEM from Node, Deno and Bun: sockets, ciphers and an API of a few lines.',
    keywords: [...KEYWORDS, 'obis', 'meter-reading', 'load-profile', 'hdlc', 'tcp'],
    sources: 'packages/dlms-node/src',
    without: 'packages/dlms-node/src/cli',
    documents: 'packages/dlms-node',
    entries: { '.': 'entry/root.ts', './meter': 'entry/meter.ts' },
    node: OLDEST_NODE,
  },
  {
    name: 'dlms-cli',
    description: 'Read DLMS/COSEM meters, decode their messages, and serve a test meter from a terminal.',
    keywords: [...KEYWORDS, 'cli', 'decoder'],
    sources: 'packages/dlms-node/src/cli',
    documents: 'packages/dlms-node/src/cli',
    entries: {},
    bin: { dlms: 'main.ts' },
    node: OLDEST_NODE,
  },
];

/** Names of workspaces in imports, and the package that is published from them. */
export const WORKSPACES: Readonly<Record<string, string>> = {
  '@hes/dlms': 'packages/dlms/src',
  '@hes/dlms-node': 'packages/dlms-node/src',
};

const isBelow = (folder: string, file: string): boolean => file.startsWith(`${folder}/`);

/** The package that a source file (relative to the root) is published in. */
export function packageOf(file: string): LibraryPackage {
  const owner = LIBRARY.find(({ sources, without }) => isBelow(sources, file) && !(without !== undefined && isBelow(without, file)));
  if (owner === undefined) throw new Error(`${file} is in no published package`);
  return owner;
}

/** The source file that an import names, relative to the root; undefined for modules of Node. */
export function sourceOf(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(importer), specifier);
  const workspace = Object.keys(WORKSPACES).find((name) => specifier.startsWith(`${name}/`));
  if (workspace === undefined) return undefined;
  return `${WORKSPACES[workspace]}${specifier.slice(workspace.length)}`;
}

/** The relative specifier with which one source file imports another. */
export function relativeImport(importer: string, file: string): string {
  const to = path.posix.relative(path.posix.dirname(importer), file);
  return to.startsWith('.') ? to : `./${to}`;
}
