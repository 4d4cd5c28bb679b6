import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../apps/server/test/free-port.ts';
import { runProgram } from '../program.ts';
import { insist, type Check } from './check.ts';
import { startPostgres } from './postgres.ts';

const READY_WITHIN_MS = 120_000;

type Podman = (...args: string[]) => Promise<string>;

/** Podman with storage of its own, without the network of the machine's containers and without a service. */
function podman(scratch: string, runtime: readonly string[] = []): Podman {
  const places = ['--root', path.join(scratch, 'containers'), '--runroot', path.join(scratch, 'containers-run')];
  const options = ['--storage-driver=vfs', '--cgroup-manager=cgroupfs', '--events-backend=file', ...runtime];
  return (...args) => runProgram('podman', [...places, ...options, ...args]);
}

/** Limits that every user of a machine may set, and the network of the machine. */
const HERE = ['--network=host', '--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096'];
/** A machine that is itself a container permits some of these only. */
const RUNTIMES = [
  { runtime: [], here: HERE },
  { runtime: [], here: [...HERE, '--cgroups=disabled'] },
  { runtime: ['--runtime=runc'], here: HERE },
] as const;

/** Podman with the first runtime that starts the image's Node here, and the options of its `run`. */
async function startable(scratch: string, id: string): Promise<{ pod: Podman; here: readonly string[] }> {
  const failures: string[] = [];
  for (const { runtime, here } of RUNTIMES) {
    const pod = podman(scratch, runtime);
    try {
      await pod('run', '--rm', ...here, '--entrypoint', '/usr/lib/hes/bin/node', id, '--version');
      return { pod, here };
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`No runtime starts the image here:\n${failures.join('\n')}`);
}

const image: Check = {
  name: 'image: runs read-only, without root and without a shell',
  needs: ['podman', 'runuser'],
  async run({ artefact, scratch }) {
    const loaded = await podman(scratch)('load', '--input', artefact(`-linux-${process.arch}.oci.tar`));
    const name = loaded.trim().split(': ').at(-1) ?? '';
    const id = name.split(',')[0] ?? '';
    const { pod, here } = await startable(scratch, id);
    const user = (await pod('image', 'inspect', '--format', '{{.Config.User}}', id)).trim();
    insist(user === '10001:10001', `The image runs as ${user}`);
    const shell = await pod('run', '--rm', ...here, '--entrypoint', '/bin/sh', id, '-c', 'true').then(
      () => 'it runs',
      (error: unknown) => String(error),
    );
    insist(/sh.*(?:not found|no such file)/i.test(shell), `The image has a shell, or cannot be started here: ${shell}`);
    const [port, dlmsPort] = [await freePort(), await freePort()];
    const database = await startPostgres(path.join(scratch, 'image-postgres'));
    const settings = { HES_PORT: port, HES_DLMS_PORT: dlmsPort, HES_HOST: '127.0.0.1', DATABASE_URL: database.url };
    const file = path.join(scratch, 'image.env');
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    );
    const limits = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', ...here];
    const container = (await pod('run', '--detach', ...limits, '--tmpfs', '/tmp:mode=1777', '--env-file', file, id)).trim();
    try {
      for (const until = performance.now() + READY_WITHIN_MS; ; await wait(500)) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        if (answer?.ok === true) break;
        if (performance.now() > until) throw new Error(`The container was not ready in time: ${await pod('logs', container)}`);
      }
    } finally {
      await pod('rm', '--force', '--time', '60', container);
      await database.stop();
    }
  },
};

export const imageChecks: readonly Check[] = [image];
