import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { encodeNotification, type Notification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { PORTS, type Example, type Ports } from './examples.ts';

/** The command that runs an example. */
export type Runner = (example: Example) => { program: string; args: readonly string[]; cwd: string };

const TIMEOUT_MS = 60_000;

/** Ports that are free now. */
export async function freePorts(): Promise<Ports> {
  const servers = Object.keys(PORTS).map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port); // as: it listens on a port
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return Object.fromEntries(Object.keys(PORTS).map((name, index) => [name, ports[index]])) as Ports; // as: one port for each name
}

interface Running {
  child: ChildProcess;
  output: string;
}

function start(runner: Runner, example: Example): Running {
  const { program, args, cwd } = runner(example);
  // Colours would be part of the output.
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  });
  const running = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (running.output += text));
  return running;
}

async function ended({ child }: Running): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  clearTimeout(timer);
}

/** Waits until a service has printed a line or ended. */
async function serving(running: Running): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!running.output.includes('\n') && running.child.exitCode === null && performance.now() < end)
    await Promise.race([once(running.child.stdout ?? running.child, 'data'), once(running.child, 'close')]);
}

/** Protection of the pushes of the meter in the README. */
const PROTECTION: Notification['protection'] = {
  cipher: nodeCipher,
  keys: { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') },
  policy: 'authEnc',
  systemTitle: fromHex('4845534D00000001'),
  counter: 1,
};

/** Sends one push as a meter would, as soon as the listener is there. */
async function sendPush(port: number, protection: Notification['protection'], isOver: () => boolean): Promise<void> {
  const body = encode(dataCodec, { type: 'unsigned', value: 7 });
  const notification = { longInvokeId: 1, body, ...(protection === undefined ? {} : { protection }) };
  const octets = encodeWrapper({ source: 1, destination: 1 }, encodeNotification(notification));
  while (!isOver()) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.end(octets);
      return;
    } catch {
      // Not listening yet.
      await new Promise((resume) => setTimeout(resume, 100));
    }
  }
}

const faultOf = ({ name, prints }: Example, output: string): string[] =>
  prints.test(output) ? [] : [`${name} prints ${JSON.stringify(output)} instead of ${prints}`];

/** Runs the examples, those that need a meter against the meter of the README. Returns a sentence for each that prints something else. */
export async function runExamples(examples: readonly Example[], runner: Runner, ports: Ports): Promise<string[]> {
  const faults: string[] = [];
  const service = async (example: Example, use: () => Promise<void>) => {
    const running = start(runner, example);
    await serving(running);
    faults.push(...faultOf(example, running.output));
    if (running.child.exitCode === null) await use();
    running.child.kill();
    await ended(running);
  };
  const clients = examples.filter(({ isService }) => !isService);
  const meter = examples.find(({ name }) => name === 'meter');
  /** Listeners for pushes, each with the protection of the one that it receives. */
  const listeners = [['push', undefined] as const, ['receive-pushes', PROTECTION] as const];
  const server = examples.find(({ name }) => name === 'server');
  const runClients = async () => {
    for (const example of clients) {
      const running = start(runner, example);
      await ended(running);
      faults.push(...faultOf(example, running.output));
    }
  };
  if (meter === undefined) await runClients();
  else await service(meter, runClients);
  if (server !== undefined) await service(server, () => Promise.resolve());
  for (const [listener, protection] of listeners) {
    const push = examples.find(({ name }) => name === listener);
    if (push === undefined) continue;
    const running = start(runner, push);
    await sendPush(ports.push, protection, () => running.child.exitCode !== null);
    await ended(running);
    faults.push(...faultOf(push, running.output));
  }
  return faults;
}
