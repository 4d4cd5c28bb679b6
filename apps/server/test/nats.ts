import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../src/platform/certificate.ts';
import { freePort, waitForPort } from './free-port.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

const DAY_MS = 86_400_000;
export const NATS_USER = 'hes';
export const NATS_PASSWORD = 'p@ss:word/1';

/** Version of the installed NATS server, `2.10.22`; undefined: there is none on the PATH. */
export function natsVersion(): string | undefined {
  const { stdout } = spawnSync('nats-server', ['--version'], { encoding: 'utf8' });
  return /v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
}

/** Title of tests with NATS: they are skipped by this name where it is not installed. */
export const natsTitle = (version: string | undefined): string =>
  version === undefined ? 'NATS, which is not installed' : `NATS ${version}`;

export interface Nats {
  /** Address with user and password, by TLS. */
  url: string;
  hostAndPort: string;
  /** PEM file of its certificate, which signs itself. */
  caFile: string;
  ca: string;
  /** Ends the server, whose port is closed then. */
  kill(): Promise<void>;
  /** Starts it again at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the real server with TLS and a password. */
export async function startNats(): Promise<Nats> {
  const folder = scratchFolder('hes-nats-');
  const { cert, key } = selfSigned(['localhost', '127.0.0.1'], Date.now() - DAY_MS, Date.now() + DAY_MS);
  const file = (name: string) => join(folder, name);
  writeFileSync(file('tls.crt'), cert);
  writeFileSync(file('tls.key'), key, { mode: 0o600 });
  const port = await freePort();
  writeFileSync(
    file('nats.conf'),
    `listen: "127.0.0.1:${port}"
tls { cert_file: "${file('tls.crt')}", key_file: "${file('tls.key')}" }
authorization { user: ${NATS_USER}, password: "${NATS_PASSWORD}" }
`,
  );
  let kill = (): Promise<void> => Promise.resolve();
  async function start(): Promise<void> {
    const child = spawn('nats-server', ['-c', file('nats.conf')], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    kill = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    await waitForPort(child, port);
  }
  await start();
  return {
    url: `tls://${NATS_USER}:${encodeURIComponent(NATS_PASSWORD)}@127.0.0.1:${port}`,
    hostAndPort: `127.0.0.1:${port}`,
    caFile: file('tls.crt'),
    ca: cert,
    kill: () => kill(),
    restart: start,
    async stop() {
      await kill();
      removeScratch(folder);
    },
  };
}
