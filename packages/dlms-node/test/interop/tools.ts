import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const HERE = import.meta.dirname;
const CACHE = path.join(HERE, '../../../../.cache/interop');
const PYTHON_PACKAGE = 'gurux-dlms==1.0.203';
const INSTALL_TIMEOUT_MS = 240_000;

/** In CI a missing tool, or a registry out of reach, is a failure; elsewhere these tests are skipped and say so. */
export const REQUIRED = process.env['HES_INTEROP'] === 'required';

async function works(command: string, args: string[]): Promise<boolean> {
  try {
    await execute(command, args, { timeout: INSTALL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

/** Installs once: the mark is written when everything else was. */
async function once(name: string, install: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(CACHE, name);
  const mark = path.join(folder, '.complete');
  if (!existsSync(mark)) {
    mkdirSync(folder, { recursive: true });
    await install(folder);
    writeFileSync(mark, '');
  }
  return folder;
}

/** Class path of the independent meter, compiled; or why there is none. */
export async function javaMeter(): Promise<{ classPath: string } | { missing: string }> {
  if (!(await works('javac', ['-version']))) return { missing: 'no JDK (javac)' };
  if (!(await works('mvn', ['-version']))) return { missing: 'no Maven (mvn)' };
  try {
    const jars = await once('gurux-java-4.0.47', async (folder) => {
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
      await execute('mvn', ['-q', '-B', '-f', path.join(HERE, 'pom.xml'), goal, `-DoutputDirectory=${folder}`], {
        timeout: INSTALL_TIMEOUT_MS,
      });
    });
    const classes = path.join(CACHE, 'classes');
    mkdirSync(classes, { recursive: true });
    const libraries = path.join(jars, '*');
    await execute('javac', ['-nowarn', '-cp', libraries, '-d', classes, path.join(HERE, 'GuruxMeter.java')], {
      timeout: INSTALL_TIMEOUT_MS,
    });
    return { classPath: [classes, libraries].join(path.delimiter) };
  } catch (error) {
    return { missing: `gurux.dlms for Java: ${String(error).slice(0, 500)}` };
  }
}

/** Where Python finds the independent client; or why there is none. */
export async function pythonClient(): Promise<{ pythonPath: string } | { missing: string }> {
  if (!(await works('python3', ['-m', 'pip', '--version']))) return { missing: 'no Python 3 with pip' };
  try {
    const pythonPath = await once('gurux-python-1.0.203', async (folder) => {
      const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', folder, PYTHON_PACKAGE];
      await execute('python3', args, { timeout: INSTALL_TIMEOUT_MS });
    });
    return { pythonPath };
  } catch (error) {
    return { missing: `gurux-dlms for Python: ${String(error).slice(0, 500)}` };
  }
}
