import { expect, test } from 'vitest';
import { hostOf, isInRanges } from './address-ranges.ts';

test('an IPv6 /64 counts as one host, and a mapped IPv4 address as IPv4', () => {
  expect(hostOf('2001:db8:1:2:3:4:5:6')).toBe(hostOf('2001:db8:1:2:ffff::1'));
  expect(hostOf('2001:db8:1:2::1')).not.toBe(hostOf('2001:db8:1:3::1'));
  expect(hostOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(hostOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(hostOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});

test('ranges contain single addresses and networks of both families', () => {
  const ranges = ['10.20.0.0/16', '192.0.2.7', '2001:db8::/32'];
  for (const inside of ['10.20.255.1', '::ffff:10.20.0.1', '192.0.2.7', '2001:db8:ffff::1']) expect(isInRanges(inside, ranges)).toBe(true);
  for (const outside of ['10.21.0.1', '192.0.2.8', '2001:db9::1', '', 'name']) expect(isInRanges(outside, ranges)).toBe(false);
  expect(isInRanges('10.20.0.1', [])).toBe(false);
});
