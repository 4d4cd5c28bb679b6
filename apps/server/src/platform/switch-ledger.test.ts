import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SwitchLedger, type BegunSwitch } from './switch-ledger.ts';

const NOW = Date.UTC(2026, 10, 25, 12);
const HOUR_MS = 3_600_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hes-switches-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'switches.jsonl');
const begun = (nonce: string, at: number, more: Partial<BegunSwitch> = {}): BegunSwitch => ({
  nonce,
  at,
  operation: 'disconnect',
  powerW: 500,
  validUntil: at + 4 * HOUR_MS,
  ...more,
});

test('recorded switches survive a restart, and count for their hour and day', () => {
  const first = new SwitchLedger(folder, NOW);
  first.append(begun('a', NOW - 2 * HOUR_MS));
  first.append(begun('b', NOW, { operation: 'connect', powerW: 300 }));
  const second = new SwitchLedger(folder, NOW);
  expect([second.has('a'), second.has('b'), second.has('c')]).toEqual([true, true, false]);
  expect(second.since(NOW - HOUR_MS)).toEqual({ meters: 1, powerW: 300 });
  expect(second.since(NOW - 24 * HOUR_MS)).toEqual({ meters: 2, powerW: 800 });
  expect(second.since(NOW - 24 * HOUR_MS, (operation) => operation !== 'connect')).toEqual({ meters: 1, powerW: 500 });
  expect(statSync(file()).mode & 0o077).toBe(0);
});

test('a line truncated by a crash is ignored, and later lines are kept', () => {
  appendFileSync(file(), '{"nonce":"torn","at":17');
  const ledger = new SwitchLedger(folder, NOW);
  ledger.append(begun('d', NOW));
  const again = new SwitchLedger(folder, NOW);
  expect([again.has('torn'), again.has('d'), again.has('a')]).toEqual([false, true, true]);
});

test('an entry is removed when its command has expired and no limit counts it', () => {
  const sooner = new SwitchLedger(folder, NOW + 23 * HOUR_MS);
  expect([sooner.has('a'), sooner.has('d')]).toEqual([false, true]);
  expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(3);
  const later = new SwitchLedger(folder, NOW + 25 * HOUR_MS);
  expect([later.has('a'), later.has('d')]).toEqual([false, false]);
  expect(readFileSync(file(), 'utf8')).toBe('');
});
