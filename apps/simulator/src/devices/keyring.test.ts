import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createKeyring } from './keyring.ts';
import { keysOf } from './keys.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'hes-keyring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('changed keys of a device persist over a restart, and other devices keep their factory keys', () => {
  const file = path.join(folder, 'keys.json');
  const ek = new Uint8Array(16).fill(7);
  createKeyring(1, file).change('260100010001', { ek });
  const after = createKeyring(1, file);
  expect(Buffer.from(after.of('260100010001').ek)).toEqual(Buffer.from(ek));
  expect(Buffer.from(after.of('260100010001').ak)).toEqual(Buffer.from(keysOf(1, '260100010001').ak));
  expect(after.of('260100010002')).toEqual(keysOf(1, '260100010002'));
});
