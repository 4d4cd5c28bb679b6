import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkInBrowser } from './browser-target.ts';
import { checkDocs } from './docs-target.ts';
import { linkPackage, npm, runProgram, writeConfig, type Resolution, type Tarballs } from './consumer.ts';
import { examplesOf, NODE_ONLY, recipes, withPorts, type Example } from './examples.ts';
import { bunProgram, denoProgram, fetchTool, oldNode, toolFile } from './fetch-tools.ts';
import { LIBRARY, ROOT } from './packages.ts';
import { freePorts, runExamples, type Runner } from './run-examples.ts';
import { openSerialPair, type SerialPair } from './serial-pair.ts';

/** One thing that a user of the packages does. It fails with the faults, or with `MissingTool`. */
export interface Target {
  name: string;
  run(): Promise<void>;
}

/** The project in which the packages are installed. */
export interface Installed {
  tarballs: Tarballs;
  /** Folder of the project. */
  project: string;
}

const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');

/** Specifiers of all entries, and what a program without types reads of them. */
const specifiers = (): string[] => LIBRARY.flatMap(({ name, entries }) => Object.keys(entries).map((entry) => name + entry.slice(1)));

/** Examples in the project, with free ports and a serial pair if this machine can have one. */
interface Written {
  examples: Example[];
  ports: Awaited<ReturnType<typeof freePorts>>;
  serial: SerialPair | undefined;
}

/** Writes the examples of READMEs and documentation into the project. One that needs a serial pair is left out where there is none. */
export async function writeExamples({ project }: Installed, isWanted: (example: Example) => boolean = () => true): Promise<Written> {
  const ports = await freePorts();
  const serial = await openSerialPair(ports.serial);
  const examples = [...examplesOf(), ...recipes()]
    .filter(isWanted)
    .filter(({ name }) => serial !== undefined || name !== 'optical-head')
    .map((example) => ({ ...example, code: withPorts(example.code, ports, serial?.terminal) }));
  for (const { name, code } of examples) writeFileSync(path.join(project, `${name}.ts`), code);
  return { examples, ports, serial };
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** Nothing but modules, declarations and documents is published, and no test. */
function tarball(folder: string): Target {
  return {
    name: `contents of ${path.basename(folder)}`,
    async run() {
      const printed = await npm(['pack', '--dry-run', '--json', '--silent'], folder);
      const [packed] = JSON.parse(printed.slice(printed.indexOf('['))) as { files: { path: string }[] }[]; // as: what npm prints
      const files = packed?.files.map((file) => file.path) ?? [];
      const missing = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'].filter((file) => !files.includes(file));
      const strange = files.filter(
        (file) => !/^(?:dist\/.+\.(?:js|d\.ts|js\.map)|LICENSE|README\.md|CHANGELOG\.md|package\.json)$/.test(file),
      );
      throwFaults([...missing.map((file) => `${file} is missing`), ...strange.map((file) => `${file} is packed`)]);
    },
  };
}

function linters({ tarballs }: Installed): Target[] {
  return tarballs.folders.flatMap((folder, index): Target[] => [
    {
      name: `publint ${path.basename(folder)}`,
      async run() {
        const printed = await runProgram(process.execPath, [await toolFile('publint', ['publint/src/cli.js']), '--strict', folder], folder);
        if (!printed.includes('All good!')) throw new Error(printed.trim());
      },
    },
    ...(LIBRARY[index]?.bin === undefined
      ? [
          {
            name: `arethetypeswrong ${path.basename(folder)}`,
            async run() {
              const program = await toolFile('attw', ['@arethetypeswrong/cli/dist/index.js']);
              await runProgram(process.execPath, [program, tarballs.files[index] ?? '', '--profile', 'esm-only', '--no-emoji'], folder);
            },
          },
        ]
      : []),
  ]);
}

/** Strict compilation of the examples and of every entry, declarations of the packages included. */
export function types({ project }: Installed, compiler: () => Promise<string>, name: string, resolution: Resolution): Target {
  return {
    name: `types with ${name}, ${resolution}`,
    async run() {
      const all = specifiers().map((specifier, at) => `import * as entry${at} from '${specifier}';`);
      writeFileSync(
        path.join(project, 'every-entry.ts'),
        `${all.join('\n')}\nconsole.log(${all.map((_, at) => `entry${at}`).join(', ')});\n`,
      );
      await runProgram(process.execPath, [await compiler(), '-p', writeConfig(project, resolution)], project);
    },
  };
}

/** JavaScript without types: every entry is there, and the examples print what their README says. */
export function onNode({ project }: Installed, node: () => Promise<string>, name: string, written: Written): Target {
  return {
    name: `JavaScript on ${name}`,
    async run() {
      const program = await node();
      await runProgram(
        program,
        [
          '--input-type=module',
          '-e',
          specifiers()
            .map((one) => `await import('${one}');`)
            .join('\n'),
        ],
        project,
      );
      const runner: Runner = ({ name: example }) => ({ program, args: [`out-nodenext/${example}.js`], cwd: project });
      throwFaults(await runExamples(written.examples, runner, written.ports));
    },
  };
}

function commandLine({ project }: Installed): Target {
  return {
    name: 'command line',
    async run() {
      const printed = await runProgram(path.join(project, 'node_modules/.bin/dlms'), ['decode', 'C401C1000600001391'], project);
      if (!printed.includes('5009')) throw new Error(printed);
    },
  };
}

/** A runtime that needs no compilation. */
function onRuntime({ project }: Installed, program: () => Promise<string>, args: readonly string[], written: Written) {
  return async (): Promise<void> => {
    const found = await program();
    const runner: Runner = ({ name }) => ({ program: found, args: [...args, `${name}.ts`], cwd: project });
    const examples = written.examples.filter((example) => !NODE_ONLY.has(example.name));
    throwFaults(await runExamples(examples, runner, written.ports));
  };
}

/** Everything; the compilations come first, because JavaScript is their output. `close` has to be called in the end. */
export async function everyTarget(installed: Installed): Promise<{ targets: Target[]; close(): void }> {
  const { project, tarballs } = installed;
  linkPackage(project, '@types/node');
  linkPackage(project, '@noble/ciphers', path.join(await fetchTool('ciphers'), '@noble/ciphers'));
  const written = await writeExamples(installed);
  const newCompiler = () => Promise.resolve(tsc);
  const oldCompiler = () => toolFile('typescript', ['typescript/bin/tsc']);
  const targets: Target[] = [
    ...tarballs.folders.map(tarball),
    ...linters(installed),
    types(installed, oldCompiler, 'TypeScript 5.9', 'nodenext'),
    types(installed, oldCompiler, 'TypeScript 5.9', 'bundler'),
    types(installed, newCompiler, 'TypeScript 7', 'nodenext'),
    types(installed, newCompiler, 'TypeScript 7', 'bundler'),
    onNode(installed, () => oldNode('node20'), 'Node 20', written),
    onNode(installed, () => oldNode('node22'), 'Node 22', written),
    onNode(installed, () => Promise.resolve(process.execPath), `Node ${process.versions.node.split('.')[0]}`, written),
    commandLine(installed),
    { name: 'TypeScript on Deno', run: onRuntime(installed, denoProgram, ['run', '-A', '--no-lock', '--quiet'], written) },
    { name: 'TypeScript on Bun', run: onRuntime(installed, bunProgram, ['run'], written) },
    { name: 'a bundle of Vite in a browser', run: () => checkInBrowser(project, written.examples) },
    { name: 'documentation', run: () => checkDocs(tarballs.folders[0] ?? '') },
  ];
  return { targets, close: () => written.serial?.close() };
}
