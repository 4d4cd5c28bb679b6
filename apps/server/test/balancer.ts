import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selfSigned } from '../src/platform/certificate.ts';
import { freePort, waitForPort } from './free-port.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

const SHIPPED = fileURLToPath(new URL('../../../deploy/haproxy/haproxy.cfg', import.meta.url));
const DAY_MS = 86_400_000;

/** Version of the installed HAProxy, `2.6`; undefined: there is none. */
export function haproxyVersion(): string | undefined {
  const { stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
  return /^HAProxy version (\d+\.\d+)/.exec(stdout ?? '')?.[1];
}

export interface HaProxy {
  /** Host and port of the console, by TLS. */
  console: string;
  /** Port of the redirect to TLS. */
  plainPort: number;
  dlmsPort: number;
  /** Certificate of the console, which signs itself. */
  ca: string;
  stop(): Promise<void>;
}

/** One of the two head-ends behind the proxy. */
interface Head {
  httpPort: number;
  dlmsPort: number;
}

/** Replaces texts that stand in the shipped configuration exactly once. */
function adapt(text: string, changes: Readonly<Record<string, string>>): string {
  let adapted = text;
  for (const [from, to] of Object.entries(changes)) {
    if (text.split(from).length !== 2) throw new Error(`haproxy.cfg holds "${from}" not once`);
    adapted = adapted.replace(from, to);
  }
  return adapted;
}

/** Starts HAProxy with the shipped configuration: only addresses, ports and the number of connections are others, and what `changes` replaces. */
export async function startHaProxy(
  [first, second]: readonly [Head, Head],
  changes: Readonly<Record<string, string>> = {},
): Promise<HaProxy> {
  const folder = scratchFolder('hes-haproxy-');
  const { cert, key } = selfSigned(['localhost'], Date.now() - DAY_MS, Date.now() + DAY_MS);
  const [pem, file] = [join(folder, 'hes.pem'), join(folder, 'haproxy.cfg')];
  writeFileSync(pem, cert + key, { mode: 0o600 });
  const [plainPort, consolePort, dlmsPort] = [await freePort(), await freePort(), await freePort()];
  const text = adapt(readFileSync(SHIPPED, 'utf8'), {
    'bind :80\n': `bind 127.0.0.1:${plainPort}\n`,
    'bind :443 ssl crt /etc/haproxy/hes.pem': `bind 127.0.0.1:${consolePort} ssl crt ${pem}`,
    'bind :4059\n': `bind 127.0.0.1:${dlmsPort}\n`,
    'maxconn 50000': 'maxconn 200',
    '10.0.0.11:8080\n': `127.0.0.1:${first.httpPort}\n`,
    '10.0.0.12:8080\n': `127.0.0.1:${second.httpPort}\n`,
    '10.0.0.11:4059 send-proxy-v2 check port 8080': `127.0.0.1:${first.dlmsPort} send-proxy-v2 check port ${first.httpPort}`,
    '10.0.0.12:4059 send-proxy-v2 check port 8080': `127.0.0.1:${second.dlmsPort} send-proxy-v2 check port ${second.httpPort}`,
    ...changes,
  });
  writeFileSync(file, text);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await waitForPort(child, consolePort);
  return {
    console: `localhost:${consolePort}`,
    plainPort,
    dlmsPort,
    ca: cert,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      removeScratch(folder);
    },
  };
}
