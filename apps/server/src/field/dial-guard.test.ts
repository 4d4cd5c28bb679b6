import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { refusalToDial, resolveToDial, type DialRules } from './dial-guard.ts';

const STRICT: DialRules = { mayReachLocal: false, ownPorts: [8080, 4059], networks: [] };
const LOCAL: DialRules = { ...STRICT, mayReachLocal: true };

test.each([
  '127.0.0.1',
  '127.8.9.10',
  '0.0.0.0',
  '169.254.169.254',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
])('%s is refused unless the setting permits it', (address) => {
  expect(refusalToDial(address, 4060, STRICT)).toBeDefined();
  expect(refusalToDial(address, 4060, LOCAL)).toBeUndefined();
});

test.each(['224.0.0.1', '255.255.255.255', 'ff02::1', 'no address'])('%s is never dialled', (address) => {
  expect(refusalToDial(address, 4060, LOCAL)).toBeDefined();
});

test('ports of the head-end are refused at every address of this machine, with any setting', () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  expect(own.length).toBeGreaterThan(0);
  for (const { address } of own) expect(refusalToDial(address, 8080, LOCAL)).toContain('port of this head-end');
  expect(refusalToDial('::ffff:127.0.0.1', 4059, LOCAL)).toContain('port of this head-end');
});

test.each(['10.20.30.40', '192.0.2.1', '2001:db8::1', '::ffff:10.20.30.40'])('%s may be dialled', (address) => {
  expect(refusalToDial(address, 8080, STRICT)).toBeUndefined();
});

test('a name is checked by the address that it resolves to, and that address is dialled', async () => {
  await expect(resolveToDial('localhost', 4060, STRICT)).rejects.toThrow('loopback');
  expect(await resolveToDial('localhost', 4060, LOCAL)).toMatch(/^(127\.0\.0\.1|::1)$/);
  // The resolver returns 127.0.0.1 for this notation.
  await expect(resolveToDial('2130706433', 4060, STRICT)).rejects.toThrow();
});

test('where networks of DCUs are named, only their addresses are dialled', () => {
  const rules: DialRules = { ...LOCAL, networks: ['10.20.0.0/16', '2001:db8::/32'] };
  for (const address of ['10.20.30.40', '::ffff:10.20.30.40', '2001:db8::1']) expect(refusalToDial(address, 4060, rules)).toBeUndefined();
  for (const address of ['10.21.0.1', '127.0.0.1', '2001:db9::1', '64:ff9b::a15:1'])
    expect(refusalToDial(address, 4060, rules)).toContain('HES_DIAL_NETWORKS');
  expect(refusalToDial('10.20.30.40', 8080, { ...rules, mayReachLocal: false })).toBeUndefined();
});
