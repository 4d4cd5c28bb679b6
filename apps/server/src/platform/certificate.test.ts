import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { selfSigned } from './certificate.ts';

const DAY_MS = 86_400_000;

test('a self-signed certificate is valid for its names, from one day before until its end', () => {
  const from = Date.UTC(2026, 0, 1);
  const { cert, key } = selfSigned(['hes.example', 'localhost', '127.0.0.1', '2001:db8::7'], from, from + 825 * DAY_MS);
  const read = new X509Certificate(cert);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  expect(read.subjectAltName).toBe('DNS:hes.example, DNS:localhost, IP Address:127.0.0.1, IP Address:2001:DB8:0:0:0:0:0:7');
  expect([read.checkHost('hes.example'), read.checkIP('127.0.0.1'), read.checkHost('evil.example')]).toEqual([
    'hes.example',
    '127.0.0.1',
    undefined,
  ]);
  expect([read.validFromDate, read.validToDate].map((date) => date.getTime())).toEqual([from - DAY_MS, from + 825 * DAY_MS]);
});
