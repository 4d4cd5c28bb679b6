import { expect, test } from 'vitest';
import { addressOf, isLoopback, limitKeyOf } from './address.ts';

test('addresses are normalised, and other texts refused', () => {
  expect(['203.0.113.7', '::ffff:203.0.113.7', '2001:DB8::1', ' 10.0.0.1 '].map(addressOf)).toEqual([
    '203.0.113.7',
    '203.0.113.7',
    '2001:db8::1',
    '10.0.0.1',
  ]);
  for (const text of ['not-an-ip', '<script>alert(1)</script>', 'éx', '', '1.2.3', 'fe80::1%eth0', undefined])
    expect(addressOf(text)).toBe(undefined);
});

test('limits treat an IPv6 /64 as one address', () => {
  const keys = ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:eeee:dddd:cccc', '2001:db8:1:3::1', '::1', '2001:db8::1', '203.0.113.7'].map(
    limitKeyOf,
  );
  expect(keys).toEqual(['2001:db8:1:2::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64', '0:0:0:0::/64', '2001:db8:0:0::/64', '203.0.113.7']);
});

test('only loopback addresses count as loopback', () => {
  expect(['127.0.0.1', '127.8.8.8', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.1', 'hes.example'].map(isLoopback)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
