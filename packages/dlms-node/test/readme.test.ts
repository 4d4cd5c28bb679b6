import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { serve } from './cli/run-cli.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const CACHE = path.join(ROOT, '.cache');
mkdirSync(CACHE, { recursive: true });
// Inside the repository, so that package names resolve.
const folder = mkdtempSync(path.join(CACHE, 'readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const README = readFileSync(path.join(ROOT, 'packages/dlms/README.md'), 'utf8');
const EXAMPLES = [...README.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  server.close();
  await once(server, 'close');
  return port;
}

function written(name: string, code: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, code);
  return file;
}

describe('the README', { timeout: 120_000 }, () => {
  it('reads a meter in ten lines', () => {
    const [client = ''] = EXAMPLES;
    expect(client.split('\n').filter((line) => line !== '' && !line.startsWith('import '))).toHaveLength(9);
  });

  it('has examples that compile', async () => {
    for (const [i, code] of EXAMPLES.entries()) written(`example-${i}.ts`, `${code}\nexport {};\n`);
    const config = { extends: '../../tsconfig.base.json', compilerOptions: { types: ['node'] }, include: ['example-*.ts'] };
    const project = written('tsconfig.json', JSON.stringify(config));
    await promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project]);
  });

  it('has a meter and a reader that work together', async () => {
    const port = String(await freePort());
    const [client = '', , meter = ''] = EXAMPLES.map((code) => code.replaceAll('4059', port));
    const serving = spawn(process.execPath, [written('meter.ts', meter)], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(serving.stdout.setEncoding('utf8'), 'data')) as [string]; // as: the event's arguments
      expect(line).toBe(`listening on ${port}\n`);
      const { stdout } = await promisify(execFile)(process.execPath, [written('client.ts', client)]);
      expect(stdout).toBe("{ type: 'doubleLongUnsigned', value: 5009 }\n");
      expect(README).toContain(stdout.trimEnd());
    } finally {
      const exited = once(serving, 'exit');
      serving.kill();
      await exited;
    }
  });

  it('reads a ciphered profile of the meter behind dlms serve, column by column', async () => {
    const [, profile = ''] = EXAMPLES;
    const keys = ['--ek', '000102030405060708090A0B0C0D0E0F', '--ak', 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF'];
    const meter = await serve(keys);
    try {
      const file = written('profile.ts', profile.replace('4059', String(meter.port)));
      const { stdout } = await promisify(execFile)(process.execPath, [file]);
      const rows = stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' '));
      // A quarter of an hour may begin between the start of the meter and the reading.
      expect([3, 4, 5]).toContain(rows.length);
      // The energy of this meter rises by one watt-hour per second; another column would not.
      for (const [at = '', status, energy] of rows) expect([status, Number(energy)]).toEqual(['0', (Date.parse(at) / 1000) % 100_000_000]);
    } finally {
      await meter.stop();
    }
  });
});
