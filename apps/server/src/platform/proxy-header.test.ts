import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readProxyHeader } from './proxy-header.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const v4 = (rest = '') => hex(`${SIGNATURE} 21 11 000c c0000207 c6336401 d903 0fdb ${rest}`);
const text = (line: string) => Buffer.from(`${line}\r\n`, 'latin1');

describe('the binary header', () => {
  test('names the peer by IPv4 or IPv6, whatever extensions follow', () => {
    const source = { address: '192.0.2.7', port: 55_555 };
    expect(readProxyHeader(v4('00010203'))).toEqual({ kind: 'proxied', length: 28, source });
    const extended = hex(`${SIGNATURE} 21 11 0013 c0000207 c6336401 d903 0fdb 04 0004 deadbeef`);
    expect(readProxyHeader(extended)).toEqual({ kind: 'proxied', length: 35, source });
    const v6 = hex(`${SIGNATURE} 21 21 0024 20010db8000000000000000000000007 20010db8000000000000000000000001 d903 0fdb`);
    expect(readProxyHeader(v6)).toEqual({ kind: 'proxied', length: 52, source: { address: '2001:db8::7', port: 55_555 } });
  });

  test('of a health check names nobody', () => {
    expect(readProxyHeader(hex(`${SIGNATURE} 20 00 0000`))).toEqual({ kind: 'local', length: 16 });
    expect(readProxyHeader(hex(`${SIGNATURE} 21 00 0002 abcd`))).toEqual({ kind: 'local', length: 18 });
  });

  test('of another version, family or length is refused', () => {
    for (const wrong of [
      `${SIGNATURE} 31 11 000c c0000207 c6336401 d903 0fdb`,
      `${SIGNATURE} 22 11 000c c0000207 c6336401 d903 0fdb`,
      `${SIGNATURE} 21 12 000c c0000207 c6336401 d903 0fdb`,
      `${SIGNATURE} 21 11 000b c0000207 c6336401 d903 0f`,
      `${SIGNATURE} 21 11 ffff`,
    ])
      expect(readProxyHeader(hex(wrong)).kind, wrong).toBe('invalid');
  });
});

describe('the text header', () => {
  test('names the peer by IPv4 or IPv6', () => {
    const line = 'PROXY TCP4 192.0.2.7 198.51.100.1 55555 4059';
    expect(readProxyHeader(text(line))).toEqual({
      kind: 'proxied',
      length: line.length + 2,
      source: { address: '192.0.2.7', port: 55_555 },
    });
    expect(readProxyHeader(text('PROXY TCP6 2001:db8::7 2001:db8::1 55555 4059'))).toMatchObject({ source: { address: '2001:db8::7' } });
    expect(readProxyHeader(text('PROXY UNKNOWN whatever'))).toMatchObject({ kind: 'local' });
  });

  test('with anything else is refused', () => {
    for (const wrong of [
      'PROXY TCP4 2001:db8::7 a 1 2',
      'PROXY TCP4 1.2.3.4 5.6.7.8 70000 1',
      'PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3',
      'PROXY UDP4 1.2.3.4 5.6.7.8 1 2',
      `PROXY ${'x'.repeat(200)}`,
    ])
      expect(readProxyHeader(text(wrong)).kind, wrong).toBe('invalid');
  });
});

describe('any octets', () => {
  const near = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.nat(40), fc.nat(255)).map(([tail, at, octet]) => {
      const octets = Buffer.concat([v4(), tail]);
      octets[Math.min(at, octets.length - 1)] = octet;
      return octets;
    }),
    fc.string({ maxLength: 120 }).map((tail) => text(`PROXY TCP4 ${tail}`)),
  );

  test('are judged without an exception, and a verdict never changes when more octets arrive', () => {
    fc.assert(
      fc.property(near, (octets) => {
        const whole = readProxyHeader(Buffer.from(octets));
        if ('length' in whole) expect(whole.length).toBeLessThanOrEqual(octets.length);
        for (let cut = 0; cut < octets.length; cut++) {
          const part = readProxyHeader(Buffer.from(octets).subarray(0, cut));
          if (part.kind !== 'incomplete') expect(part).toEqual(whole);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
