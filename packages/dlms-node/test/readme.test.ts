import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
const CACHE = path.join(ROOT, '.cache');
mkdirSync(CACHE, { recursive: true });
// Inside of the repository, so that the packages are found by their names.
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

  it('has examples that are well typed', async () => {
    for (const [i, code] of EXAMPLES.entries()) written(`example-${i}.ts`, `${code}\nexport {};\n`);
    const config = { extends: '../../tsconfig.base.json', compilerOptions: { types: ['node'] }, include: ['example-*.ts'] };
    const project = written('tsconfig.json', JSON.stringify(config));
    await promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project]);
  });

  it('has a meter and a reader that understand each other', async () => {
    const port = String(await freePort());
    const [client = '', meter = ''] = EXAMPLES.map((code) => code.replaceAll('4059', port));
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
});
