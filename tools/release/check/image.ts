import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../apps/server/test/free-port.ts';
import { runProgram } from '../program.ts';
import { insist, type Check } from './check.ts';
import { startPostgres } from './postgres.ts';

const READY_WITHIN_MS = 120_000;

/** Podman with storage of its own, without the network of the machine's containers and without a service. */
function podman(scratch: string): (...args: string[]) => Promise<string> {
  const places = ['--root', path.join(scratch, 'containers'), '--runroot', path.join(scratch, 'containers-run')];
  const options = ['--storage-driver=vfs', '--cgroup-manager=cgroupfs', '--events-backend=file'];
  return (...args) => runProgram('podman', [...places, ...options, ...args]);
}

const image: Check = {
  name: 'image: runs read-only, without root and without a shell',
  needs: ['podman', 'runuser'],
  async run({ artefact, scratch }) {
    const pod = podman(scratch);
    const loaded = await pod('load', '--input', artefact(`-linux-${process.arch}.oci.tar`));
    const name = loaded.trim().split(': ').at(-1) ?? '';
    const id = name.split(',')[0] ?? '';
    const user = (await pod('image', 'inspect', '--format', '{{.Config.User}}', id)).trim();
    insist(user === '10001:10001', `The image runs as ${user}`);
    await pod('run', '--rm', '--cgroups=disabled', '--network=host', '--entrypoint', '/bin/sh', id, '-c', 'true').then(
      () => insist(false, 'The image has a shell'),
      () => undefined,
    );
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
    const limits = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--cgroups=disabled', '--network=host'];
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
