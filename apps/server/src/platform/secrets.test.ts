import { expect, test } from 'vitest';
import { createSecrets } from './secrets.ts';

const secrets = createSecrets(Buffer.alloc(32, 1));
const key = Buffer.from('00112233445566778899AABBCCDDEEFF', 'hex');

test('a secret can be opened with its purpose and master key only', () => {
  const sealed = secrets.seal(key, 'meter/1/ek');
  expect(secrets.open(sealed, 'meter/1/ek')).toEqual(key);
  expect(sealed.includes(key)).toBe(false);
  expect(() => secrets.open(sealed, 'meter/2/ek')).toThrow(/authenticat|Not a sealed secret/);
  expect(() => createSecrets(Buffer.alloc(32, 2)).open(sealed, 'meter/1/ek')).toThrow(/authenticat|Not a sealed secret/);
});

test('any changed octet is detected', () => {
  const sealed = secrets.seal(key, 'x');
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(() => secrets.open(changed, 'x')).toThrow(/authenticat|Not a sealed secret/);
  }
});

test('the same secret is sealed differently each time', () => {
  expect(secrets.seal(key, 'x')).not.toEqual(secrets.seal(key, 'x'));
});
