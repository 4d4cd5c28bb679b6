import { describe, expect, it } from 'vitest';
import { VECTORS } from '../../../dlms/test/support/vectors.ts';
import { dlms } from './run-cli.ts';

const MESSAGES = VECTORS.filter(({ kind, hex }) => hex !== undefined && ['pdu', 'wrapper', 'data', 'datetime'].includes(kind));
const EK = '000102030405060708090A0B0C0D0E0F';
const AK = 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF';
const TITLE = '4D4D4D0000BC614E';
const CIPHERED_GET = 'C81E3001234567411312FF935A47566827C467BC7D825C3BE4A77C3FCC056B6B';

const REFUSAL = { error: { code: expect.any(String), offset: expect.any(Number), path: expect.any(String) } };
const isRefused = (vector: (typeof MESSAGES)[number] | undefined): boolean => vector?.expect === 'error';

describe('dlms decode --json', { timeout: 60_000 }, () => {
  it('decodes every public vector as expected, and refuses the invalid ones', async () => {
    const input = MESSAGES.map(({ hex, keys, kind }) => `${hex} ${JSON.stringify({ ...keys, kind })}\n`).join('');
    const { code, out } = await dlms(['decode', '--json'], input);
    const lines = out.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines).toHaveLength(MESSAGES.length);
    const answers = lines.map((line): unknown => JSON.parse(line));
    for (const [i, { name, decoded }] of MESSAGES.entries())
      expect(answers[i], name).toMatchObject(isRefused(MESSAGES[i]) ? REFUSAL : (decoded ?? {}));
  });

  it('writes one line for every line of input', async () => {
    const lines = [
      '',
      'zz',
      'C401',
      'C401C100 {',
      'C401C100 {"kind":"x"}',
      '15FFFFFFFFFFFFFFFF {"kind":"data"}',
      'C401C10011 07 {"ek":null}',
      '1100 {"kind":"data","ek":"12"}',
    ];
    const { code, out, err } = await dlms(['decode', '--json'], lines.join('\n'));
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe('{"error":{"code":"BAD_INPUT","offset":0,"path":""}}');
    expect(err).toContain('line 2: not an even number of hex digits');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 40)),
    ).toEqual([
      expect.stringContaining('"BAD_INPUT"'),
      expect.stringContaining('"TRUNCATED"'),
      expect.stringContaining('"BAD_INPUT"'),
      expect.stringContaining('"BAD_INPUT"'),
      '{"t":"long64-unsigned","v":1844674407370',
      expect.stringContaining('get-response-normal'),
      expect.stringContaining('"BAD_INPUT"'),
    ]);
    expect(out).toContain('18446744073709551615');
  });
});

describe('dlms decode', { timeout: 60_000 }, () => {
  it('annotates a message, and with keys its plaintext', async () => {
    const { code, out } = await dlms(['decode', CIPHERED_GET, '--ek', EK, '--ak', AK, '--title', TITLE]);
    expect(code).toBe(0);
    expect(out).toContain('invocationCounter = 19088743');
    expect(out).toMatch(/inside:[^]*instance = 0\.0\.1\.0\.0\.255/);
  });

  it('prints a value without fields', async () => {
    expect(await dlms(['decode', '0600001391', '--kind', 'data'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('doubleLongUnsigned 5009'),
    });
  });

  it('reports that a message stays ciphered without keys', async () => {
    expect(await dlms(['decode', CIPHERED_GET])).toMatchObject({ code: 0, out: expect.stringContaining('ciphered: give --ek') });
  });

  it('shows the fields before an error, and fails', async () => {
    const { code, out } = await dlms(['decode'], 'C401C10012 00');
    expect(code).toBe(1);
    expect(out).toContain('broken: TRUNCATED in getResponse.normal.result.data');
  });

  it('annotates a frame with a gateway header', async () => {
    const { code, out } = await dlms(['decode', '00010001000100' + '18' + 'E601083030303132333435C001C100030100010800FF0200']);
    expect(code).toBe(0);
    expect(out).toContain('gateway');
    expect(out).toContain('1.0.1.8.0.255');
  });
});

describe('dlms', { timeout: 60_000 }, () => {
  it('prints its help', async () => {
    expect(await dlms(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('profile') });
    for (const command of ['list', 'read', 'profile', 'decode', 'serve'])
      expect(await dlms([command, '--help'])).toMatchObject({ code: 0, out: expect.stringContaining(`dlms ${command}`) });
  });

  it.each([
    [['fly'], 'unknown command "fly": use one of list, read'],
    [['read', '127.0.0.1'], 'which attribute?'],
    [['read', '127.0.0.1', 'E_PLUS', '--ek', 'zz', '--ak', 'zz'], 'ek: "zz" is not hex: write octets as pairs'],
    [['read', '127.0.0.1', 'E_PLUS', '--ek', EK], 'only one key: give both'],
    [['read', '127.0.0.1', '3/1.2/2'], 'is not a logical name'],
    [['read', '127.0.0.1', 'E_PLUS', '--colour'], 'see --help'],
    [['profile', '127.0.0.1', 'LPA', '--from', '2026-13-41', '--to', 'x'], 'is not a date-time'],
    [['decode', 'xyz'], 'is not hex'],
    [['serve', '--port', 'high'], 'not a number between 0 and 65535'],
  ])('states the remedy for %j', async (args, message) => {
    const { code, err } = await dlms(args);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect(code).toBe(2);
  });

  it('reports a peer that does not respond', async () => {
    const { code, err } = await dlms(['read', '127.0.0.1:1', 'E_PLUS']);
    expect(err).toContain('is the meter on');
    expect(code).toBe(3);
  });
});

describe('dlms decode of frames', { timeout: 60_000 }, () => {
  const MBUS = '6809096853FF0001670F000000C9166809096853FF11016701001107E416';
  const HDLC = '7EA0140341133E06E6E7000F000000010011073A497E';

  it.each([
    ['HDLC', HDLC, 'hdlc', 'hdlc', { source: 32, destination: 1 }],
    ['M-Bus', MBUS, 'mbus', 'controlInformation = segment 1, final', { source: 1, destination: 103 }],
  ])('recognises %s and explains the message in it', async (_, hex, kind, shown, addresses) => {
    const { code, out } = await dlms(['decode', hex]);
    expect(code).toBe(0);
    expect(out).toContain(shown);
    expect(out).toContain('dataNotification');
    const json = await dlms(['decode', '--json'], `${hex}\n`);
    expect(JSON.parse(json.out)).toMatchObject({ [kind]: addresses, pdu: { apdu: 'data-notification' } });
  });

  it('refuses a wrong checksum', async () => {
    expect((await dlms(['decode', '--json'], `${MBUS.slice(0, -4)}0016\n`)).out).toContain('"NOT_CHECKED"');
  });
});
