import { mkdtempSync, rmSync, statSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Line } from './history.ts';
import { commandsAfter, oracleAfter } from './several-seeds.ts';

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;

test('a later seed has the counters of all seeds of its start, and the switches of its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hes-seeds-'));
  const file = join(folder, 'oracle.jsonl');
  writeFileSync(file, line({ t: 'counter', sn: 'A', counter: 1 }) + line({ t: 'switched', sn: 'A', to: 'disconnected', at: 1 }));
  const begin = { oraclePosition: statSync(file).size, commandId: '9' };
  appendFileSync(file, line({ t: 'switched', sn: 'A', to: 'connected', at: 2 }) + line({ t: 'counter', sn: 'A', counter: 2 }));
  const entries: unknown[] = [];
  for await (const text of oracleAfter(file, begin)) entries.push(JSON.parse(text));
  rmSync(folder, { recursive: true });
  expect(entries).toEqual([
    { t: 'counter', sn: 'A', counter: 1 },
    { t: 'switched', sn: 'A', to: 'connected', at: 2 },
    { t: 'counter', sn: 'A', counter: 2 },
  ]);
});

test('commands of earlier seeds are left out, by number and not by text', () => {
  const told: Line[] = [];
  const tell = commandsAfter({ oraclePosition: 0, commandId: '9' }, (one) => told.push(one));
  const command = (id: string): Line => ({
    t: 'command',
    id,
    sn: 'A',
    operation: 'connect',
    state: 'done',
    isSent: true,
    isFollowed: false,
  });
  for (const one of [command('9'), command('10'), { t: 'end', at: 1 } as const]) tell(one);
  expect(told).toEqual([command('10'), { t: 'end', at: 1 }]);
});
