import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../apps/server/test/free-port.ts';
import { runProgram } from '../program.ts';
import { insist, type Check, type Checked } from './check.ts';

const READY_WITHIN_MS = 180_000;
const NAME = 'hes.localhost';
/** Where Caddy keeps the authority that it makes for names of the machine itself. */
const CADDY_ROOT = '/data/caddy/pki/authorities/local/root.crt';

/** The official images of PostgreSQL and Caddy are in registries that not every machine reaches: Debian's PostgreSQL stands in, with the same settings. */
const POSTGRES_ENTRY = `#!/bin/sh
set -e
data=/var/lib/postgresql/data
PATH="$PATH:$(echo /usr/lib/postgresql/*/bin)"
if [ ! -e "$data/PG_VERSION" ]; then
  mkdir -p "$data" && chown -R postgres /var/lib/postgresql
  runuser -u postgres -- initdb -D "$data" -U "$POSTGRES_USER" -A scram-sha-256 --pwfile="$POSTGRES_PASSWORD_FILE"
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | runuser -u postgres -- postgres --single -D "$data" postgres
fi
exec runuser -u postgres -- postgres -D "$data" -c listen_addresses='*' -k /tmp
`;

/** Fixed addresses are unknown to podman-compose 1.0. Where it is missing or too old, this says what to install. */
function composeProgram(): string {
  const { stdout } = spawnSync('podman-compose', ['--version'], { encoding: 'utf8' });
  return /compose\w*\s+version:?\s+1\.0\./.test(stdout ?? '') ? 'podman-compose 1.1 or newer' : 'podman-compose';
}

type Run = (program: string, ...args: string[]) => Promise<string>;

/** Runs podman and what calls it with storage of its own. */
function containers(scratch: string): Run {
  const folder = path.join(scratch, 'compose');
  mkdirSync(folder);
  const storage = path.join(folder, 'storage.conf');
  const settings = path.join(folder, 'containers.conf');
  const [graph, run] = [path.join(folder, 'graph'), path.join(folder, 'run')];
  writeFileSync(storage, `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${run}"\n`);
  const limits = 'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]';
  writeFileSync(
    settings,
    `[containers]\n${limits}\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n[network]\nnetwork_config_dir = "${folder}"\n`,
  );
  const env = { CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: settings };
  return (program, ...args) => runProgram(program, args, { cwd: path.join(folder, 'project'), env });
}

async function makeStandIns(run: Run, scratch: string): Promise<void> {
  const root = path.join(scratch, 'compose/root');
  await runProgram('mmdebstrap', ['--quiet', '--variant=minbase', '--include=postgresql,ca-certificates', 'bookworm', root]);
  const entry = path.join(root, 'usr/local/bin/start-postgres');
  writeFileSync(entry, POSTGRES_ENTRY);
  chmodSync(entry, 0o755);
  await runProgram('sh', ['-c', 'cp "$(command -v caddy)" "$1/usr/bin/caddy"', 'sh', root]);
  const archive = path.join(scratch, 'compose/root.tar');
  await runProgram('tar', ['-C', root, '-cf', archive, '.']);
  const entries = {
    'docker.io/library/postgres:18': ['ENTRYPOINT ["/usr/local/bin/start-postgres"]'],
    'docker.io/library/caddy:2': [
      'ENTRYPOINT ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", "/etc/caddy/Caddyfile"]',
      'ENV XDG_DATA_HOME=/data',
      'ENV XDG_CONFIG_HOME=/tmp',
    ],
  };
  for (const [image, changes] of Object.entries(entries))
    await run('podman', 'import', ...changes.flatMap((change) => ['--change', change]), archive, image);
}

/** The shipped project with its three secrets, as docs/how-to/install.md makes them, and with ports that are free here. */
async function makeProject({ artefact, scratch }: Checked): Promise<{ tls: number }> {
  const project = path.join(scratch, 'compose/project');
  const secrets = path.join(project, 'secrets');
  mkdirSync(secrets, { recursive: true });
  await runProgram('tar', ['-xzf', artefact('.compose.tgz'), '-C', project, '--strip-components=1']);
  const password = randomBytes(24).toString('hex');
  writeFileSync(path.join(secrets, 'master-key'), randomBytes(32).toString('hex'));
  writeFileSync(path.join(secrets, 'database-password'), password);
  writeFileSync(path.join(secrets, 'database-url'), `postgresql://hes:${password}@database/hes`);
  const [tls, dlms] = [await freePort(), await freePort()];
  writeFileSync(path.join(project, '.env'), `HES_NAME=${NAME}\nHES_DLMS_PORT=127.0.0.1:${dlms}\n`);
  const file = path.join(project, 'compose.yaml');
  const shipped = readFileSync(file, 'utf8');
  insist(shipped.includes("'80:80', '443:443'"), 'The ports of the proxy are not where this check looks for them');
  writeFileSync(file, shipped.replace("'80:80', '443:443'", `'127.0.0.1:${tls}:443'`));
  return { tls };
}

/** Status and text of a page by TLS, trusted by the authority of the proxy. Throws while the proxy does not answer. */
async function ask(tls: number, ca: string, place: string): Promise<{ status: number; text: string }> {
  const asked = request({ host: '127.0.0.1', port: tls, servername: NAME, ca, path: place, headers: { host: NAME }, agent: false });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>; // as: the event of a response
  asked.end();
  const [answer] = await answered;
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode ?? 0, text };
}

/** Looks each second until nothing is missing; otherwise throws what was missing last, and the logs. */
async function untilComplete(run: Run, findMissing: () => Promise<string | undefined>): Promise<void> {
  let missing: string | undefined;
  for (const until = performance.now() + READY_WITHIN_MS; performance.now() < until; await wait(1000)) {
    missing = await findMissing().catch(String);
    if (missing === undefined) return;
  }
  const logs = await run('podman-compose', 'logs').catch(String);
  throw new Error(`${missing}\n${logs.slice(-3000)}`);
}

async function findMissingPage(run: Run, tls: number): Promise<string | undefined> {
  const ca = await run('podman', 'exec', 'hes_proxy_1', 'cat', CADDY_ROOT);
  const page = await ask(tls, ca, '/hes/login');
  return page.status === 200 && page.text.includes('<script')
    ? undefined
    : `The console is not served: ${page.status} ${page.text.slice(0, 200)}`;
}

/** The console is served before the last lines of the start are in the log. */
async function findMissingSignIn(run: Run): Promise<string | undefined> {
  const said = await run('podman-compose', 'logs', 'head');
  return said.includes('First sign-in: admin /') ? undefined : 'The log of the head-end does not show the first sign-in';
}

const compose: Check = {
  name: 'compose: head-end, database and proxy of the shipped file serve the console by TLS',
  needs: ['podman', composeProgram(), 'runc', 'mmdebstrap', 'caddy'],
  async run(checked) {
    const run = containers(checked.scratch);
    const { tls } = await makeProject(checked);
    await run('podman', 'load', '--input', checked.artefact(`-linux-${process.arch}.oci.tar`));
    await makeStandIns(run, checked.scratch);
    try {
      await run('podman-compose', 'up', '--detach');
      await untilComplete(run, () => findMissingPage(run, tls));
      await untilComplete(run, () => findMissingSignIn(run));
      const said = await run('podman-compose', 'logs', 'head');
      insist(!said.includes('emonstration'), 'The demonstration is on');
    } finally {
      await run('podman-compose', 'down', '--volumes', '--timeout', '60');
    }
  },
};

export const composeChecks: readonly Check[] = [compose];
