import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../apps/server/test/free-port.ts';
import { runProgram } from '../program.ts';
import { insist } from './check.ts';

const INSTALLED = '/usr/lib/postgresql';

/** A PostgreSQL of the system with an empty database, for head-ends that have none of their own. */
export async function startPostgres(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const version = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  insist(version !== undefined, `No PostgreSQL is in ${INSTALLED}`);
  const bin = path.join(INSTALLED, version, 'bin');
  mkdirSync(folder, { recursive: true });
  await runProgram('chown', ['postgres', folder]);
  await runProgram('chmod', ['a+x', path.dirname(folder)]);
  const as = (...args: string[]) => runProgram('runuser', ['-u', 'postgres', '--', ...args], { cwd: '/' });
  const cluster = path.join(folder, 'cluster');
  await as(path.join(bin, 'initdb'), '-D', cluster, '-U', 'hes', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`;
  await as(path.join(bin, 'pg_ctl'), '-D', cluster, '-w', '-l', path.join(folder, 'log'), '-o', options, 'start');
  return {
    url: `postgresql://hes@127.0.0.1:${port}/postgres`,
    async stop() {
      await as(path.join(bin, 'pg_ctl'), '-D', cluster, '-m', 'immediate', 'stop');
    },
  };
}
