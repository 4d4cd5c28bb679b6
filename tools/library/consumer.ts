import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildLibrary } from './build-library.ts';
import { ROOT } from './packages.ts';

const exec = promisify(execFile);

/** Runs a program; fails with all that it printed. */
export async function runProgram(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout, stderr } = await exec(program, [...args], { cwd, maxBuffer: 64 * 1024 * 1024, env: npmless() });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }; // as: the error of execFile
    throw new Error(`${path.basename(program)} ${args.join(' ')}: ${(stdout + stderr).trim() || message}`, { cause: error });
  }
}

/** The environment without what an outer npm passes, which an inner one would take for its command line. */
const npmless = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?:lifecycle|package|command)/.test(name)));

/** Runs the npm that belongs to this Node. */
export const npm = (args: readonly string[], cwd: string): Promise<string> => {
  const script = process.env['npm_execpath'];
  return script?.endsWith('.js') === true ? runProgram(process.execPath, [script, ...args], cwd) : runProgram('npm', args, cwd);
};

export interface Tarballs {
  /** Folders of the built packages. */
  folders: string[];
  files: string[];
  remove(): void;
}

/** Builds the packages and packs each as it would be published. */
export async function packLibrary(): Promise<Tarballs> {
  const folders = await buildLibrary();
  const target = mkdtempSync(path.join(tmpdir(), 'library-'));
  const files: string[] = [];
  for (const folder of folders) {
    const printed = await npm(['pack', '--silent', '--pack-destination', target], folder);
    files.push(path.join(target, printed.trim().split('\n').at(-1) ?? ''));
  }
  return { folders, files, remove: () => rmSync(target, { recursive: true, force: true }) };
}

/** An empty project, outside of the repository, with the packages installed from their tarballs. */
export async function newProject({ files }: Tarballs): Promise<{ folder: string; remove(): void }> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'consumer-')));
  const dependencies = Object.fromEntries(files.map((file) => [path.basename(file).replace(/-\d+\.\d+\.\d+\.tgz$/, ''), `file:${file}`]));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module', dependencies }));
  await npm(['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'], folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Makes a package of another folder available to a project, without a registry. */
export function linkPackage(project: string, name: string, from = path.join(ROOT, 'node_modules', name)): void {
  const target = path.join(project, 'node_modules', name);
  mkdirSync(path.dirname(target), { recursive: true });
  symlinkSync(from, target);
}

export type Resolution = 'nodenext' | 'bundler';

/** Writes a strict configuration; its output is JavaScript without `await using`, for every Node. */
export function writeConfig(project: string, resolution: Resolution): string {
  const file = path.join(project, `tsconfig.${resolution}.json`);
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable', 'dom'],
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    outDir: `out-${resolution}`,
    rootDir: '.',
  };
  writeFileSync(file, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  return file;
}
