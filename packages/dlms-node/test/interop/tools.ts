import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const HERE = import.meta.dirname;
const CACHE = path.join(HERE, '../../../../.cache/interop');
const INSTALL_TIMEOUT_MS = 240_000;

/** In CI a missing tool or unreachable registry is a failure; elsewhere these tests are skipped with a message. */
const REQUIRED = process.env['HES_INTEROP'] === 'required';

async function works(command: string, args: string[]): Promise<boolean> {
  try {
    await execute(command, args, { timeout: INSTALL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

/** Installs once: the marker file is written last. */
async function installOnce(name: string, install: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(CACHE, name);
  const mark = path.join(folder, '.complete');
  if (!existsSync(mark)) {
    mkdirSync(folder, { recursive: true });
    await install(folder);
    writeFileSync(mark, '');
  }
  return folder;
}

/** Java stacks: the folder of their libraries, and the file that names them for Maven. */
const JAVA_STACKS = {
  gurux: { folder: 'gurux-java-4.0.47', pom: 'pom.xml' },
  jdlms: { folder: 'jdlms-1.8.0', pom: 'pom-jdlms.xml' },
} as const;

/** Class path of the compiled independent meter, or the reason for its absence. */
export const javaMeter = (): Promise<{ classPath: string } | { missing: string }> => javaStack('gurux', path.join(HERE, 'GuruxMeter.java'));

/** Class path of a program that is compiled with the libraries of a stack, or the reason for its absence. */
export async function javaStack(
  name: keyof typeof JAVA_STACKS,
  source: string,
  others: readonly string[] = [],
): Promise<{ classPath: string } | { missing: string }> {
  if (!(await works('javac', ['-version']))) return { missing: 'no JDK (javac)' };
  if (!(await works('mvn', ['-version']))) return { missing: 'no Maven (mvn)' };
  const { folder: own, pom } = JAVA_STACKS[name];
  try {
    const jars = await installOnce(own, async (folder) => {
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
      await execute('mvn', ['-q', '-B', '-f', path.join(HERE, pom), goal, `-DoutputDirectory=${folder}`], {
        timeout: INSTALL_TIMEOUT_MS,
      });
    });
    const classes = path.join(CACHE, 'classes');
    mkdirSync(classes, { recursive: true });
    const libraries = path.join(jars, '*');
    await execute('javac', ['-nowarn', '-cp', libraries, '-d', classes, source, ...others], { timeout: INSTALL_TIMEOUT_MS });
    return { classPath: [classes, libraries].join(path.delimiter) };
  } catch (error) {
    return { missing: `${own}: ${String(error).slice(0, 500)}` };
  }
}

/** Registry name and import name of a Python package. */
const PYTHON_PACKAGES = {
  gurux: { folder: 'gurux-python-1.0.203', requirement: 'gurux-dlms==1.0.203' },
  dlmsCosem: { folder: 'dlms-cosem-25.1.0', requirement: 'dlms-cosem==25.1.0' },
  pydlms: { folder: 'pydlms-0.1.0', requirement: 'pydlms-client[crypto]==0.1.0' },
} as const;

/** Path of an independent Python stack, or the reason for its absence. */
export async function pythonStack(name: keyof typeof PYTHON_PACKAGES): Promise<{ pythonPath: string } | { missing: string }> {
  if (!(await works('python3', ['-m', 'pip', '--version']))) return { missing: 'no Python 3 with pip' };
  const { folder: own, requirement } = PYTHON_PACKAGES[name];
  try {
    const pythonPath = await installOnce(own, async (folder) => {
      const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', folder, requirement];
      await execute('python3', args, { timeout: INSTALL_TIMEOUT_MS });
    });
    return { pythonPath };
  } catch (error) {
    return { missing: `${requirement} for Python: ${String(error).slice(0, 500)}` };
  }
}

/** Fails without tools where they are required; elsewhere reports once which tests are skipped. */
export function reportMissing(tools: readonly (object | { missing: string })[]): void {
  const missing = tools.flatMap((tool) => ('missing' in tool ? [tool.missing] : []));
  if (missing.length === 0) return;
  const notice = `Interoperability is not tested: ${missing.join('; ')}. It takes python3 with pip, a JDK, Maven and their registries.`;
  if (REQUIRED) throw new Error(notice);
  process.stderr.write(`\n${notice}\n`);
}

/** Starts a script, by default of this folder, with a Python stack; `errors` collects its stderr. */
export function startPython(pythonPath: string, script: string, args: readonly string[]) {
  const env = { ...process.env, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1' };
  return spawn('python3', [path.resolve(HERE, script), ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
}

export interface PythonRun {
  code: number | null;
  /** JSON lines of its output; other lines are ignored. */
  answers: unknown[];
  errors: string;
}

/** Sends commands to a client, one per line, and waits for its exit. */
export async function runPython(
  pythonPath: string,
  script: string,
  args: readonly string[],
  commands: readonly unknown[][],
): Promise<PythonRun> {
  const child = startPython(pythonPath, script, args);
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdin.on('error', () => {}); // it may exit before all input is written
  child.stdin.end(commands.map((command) => `${JSON.stringify(command)}\n`).join(''));
  const [code] = (await once(child, 'close')) as [number | null]; // as: the event's arguments
  const answers = out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as unknown] : []));
  return { code, answers, errors };
}
