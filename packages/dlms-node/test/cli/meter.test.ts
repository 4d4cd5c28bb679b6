import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dlms, serve } from './run-cli.ts';

const KEYS = ['--ek', '000102030405060708090A0B0C0D0E0F', '--ak', 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF'];

let meter: Awaited<ReturnType<typeof serve>>;
let host: string;

beforeAll(async () => {
  meter = await serve([...KEYS, '--password', '12345678', '--serial', '4711']);
  host = `127.0.0.1:${meter.port}`;
}, 60_000);

afterAll(() => meter.stop());

describe('a meter of dlms serve, read by dlms', { timeout: 60_000 }, () => {
  it('is read by the public client', async () => {
    expect(await dlms(['read', host, 'LDN'])).toMatchObject({ code: 0, out: expect.stringContaining('"HES0000000004711"') });
    expect(await dlms(['read', host, 'E_PLUS'])).toMatchObject({ code: 1, err: expect.stringContaining('read-write-denied') });
  });

  it('authenticates and shows values in their unit', async () => {
    const { code, out } = await dlms(['read', host, 'U1', ...KEYS]);
    expect(code).toBe(0);
    expect(out).toBe('230.1 V (long-unsigned 2301)\n');
    expect(await dlms(['read', host, 'U1', '--json', ...KEYS])).toMatchObject({ out: '{"t":"long-unsigned","v":2301}\n' });
  });

  it('refuses wrong keys', async () => {
    const wrong = ['--ek', '00'.repeat(16), '--ak', '00'.repeat(16)];
    expect(await dlms(['read', host, 'U1', ...wrong])).toMatchObject({ code: 1, err: expect.stringContaining('decipheringError') });
  });

  it('lists its objects', async () => {
    const { code, out } = await dlms(['list', host, ...KEYS]);
    expect(code).toBe(0);
    expect(out).toMatch(/7 v1 {2}1\.0\.99\.1\.0\.255 +Profile generic +LPA/);
  });

  it('returns its load profile as CSV, by entries and by time', async () => {
    const entries = await dlms(['profile', host, 'LPA', '--entries', '1-4', ...KEYS]);
    expect(entries.code).toBe(0);
    const [head, first = '', , , fourth = '', ...more] = entries.out.trimEnd().split('\n');
    expect(head).toBe('CLOCK,STATUS,E_PLUS');
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z,0,\d+$/);
    expect(more).toEqual([]);
    const [from = '', to = ''] = [first, fourth].map((line) => line.slice(0, 20));
    const range = await dlms([
      'profile',
      host,
      'LPA',
      '--from',
      from,
      '--to',
      to,
      '--client',
      '3',
      '--auth',
      'low',
      '--password',
      '12345678',
    ]);
    expect(range).toEqual(entries);
  });

  it('distinguishes a missing attribute from a missing object', async () => {
    expect(await dlms(['read', host, '3/1.0.1.8.0.255/9', ...KEYS])).toMatchObject({
      code: 1,
      err: expect.stringContaining('object-unavailable'),
    });
    expect(await dlms(['read', host, '3/1.2.3.4.5.255/2', ...KEYS])).toMatchObject({
      code: 1,
      err: expect.stringContaining('object-undefined'),
    });
  });

  it('describes the current association', async () => {
    const read = async (attribute: number, ...how: string[]) => {
      const { code, out } = await dlms(['read', host, `15/0.0.40.0.0.255/${attribute}`, '--json', ...how]);
      expect(code).toBe(0);
      return JSON.parse(out) as unknown;
    };
    const octets = (v: string) => ({ t: 'octet-string', v });
    expect(await read(1, ...KEYS)).toEqual(octets('0000280000FF'));
    expect(await read(3, ...KEYS)).toEqual({
      t: 'structure',
      v: [
        { t: 'integer', v: 1 },
        { t: 'long-unsigned', v: 1 },
      ],
    });
    expect(await read(3, '--client', '2')).toEqual({
      t: 'structure',
      v: [
        { t: 'integer', v: 2 },
        { t: 'long-unsigned', v: 1 },
      ],
    });
    expect(await read(4, ...KEYS)).toEqual(octets('60857405080103'));
    expect(await read(4, '--client', '2')).toEqual(octets('60857405080101'));
    expect(await read(6, ...KEYS)).toEqual(octets('60857405080205'));
    expect(await read(8, ...KEYS)).toEqual({ t: 'enum', v: 2 });
    expect(await read(9, ...KEYS)).toEqual(octets('000000000000'));
  });

  it('responds to its serial number in a gateway header', async () => {
    expect(await dlms(['read', host, 'LDN', '--gateway', '4711'])).toMatchObject({ code: 0 });
    expect(await dlms(['read', host, 'LDN', '--gateway', '4712', '--timeout', '1'])).toMatchObject({ code: 3 });
  });

  it('uses HDLC with --hdlc', async () => {
    const line = await serve(['--hdlc']);
    expect(await dlms(['read', `127.0.0.1:${line.port}`, 'LDN', '--hdlc', '--physical', '17', '--address-size', '4'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('"HES0000000000001"'),
    });
    expect(await dlms(['read', host, 'LDN', '--physical', '17'])).toMatchObject({ code: 2, err: expect.stringContaining('--hdlc') });
    expect(await line.stop()).toBe(0);
  });

  it('uses UDP with --udp', async () => {
    const line = await serve(['--udp']);
    expect(await dlms(['read', `127.0.0.1:${line.port}`, 'LDN', '--udp'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('"HES0000000000001"'),
    });
    expect(await dlms(['read', host, 'LDN', '--udp', '--hdlc'])).toMatchObject({ code: 2, err: expect.stringContaining('one of them') });
    expect(await line.stop()).toBe(0);
  });

  it('exits with code 0 on an interrupt', async () => {
    expect(await (await serve([])).stop()).toBe(0);
  });
});
