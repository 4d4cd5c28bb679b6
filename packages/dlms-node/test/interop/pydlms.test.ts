import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import type { ClientRule } from '@hes/dlms/association/server-options.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { entrySelection, rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { typedObjectList } from '@hes/dlms/catalogue/object-list.ts';
import { connectSession, type ClientSession } from '../../src/client-session.ts';
import { serveDevices, type DeviceServer } from '../../src/device-server.ts';
import { nodeCipher } from '../../src/node-cipher.ts';
import { ourMeter } from './our-meter.ts';
import { pythonStack, reportMissing, runPython, startPython } from './tools.ts';

const python = await pythonStack('pydlms');
reportMissing([python]);

const INSTALL_MS = 300_000;
const PASSWORD = new TextEncoder().encode('12345678');
const KEK = new Uint8Array(16).fill(0x33);
const BROADCAST_KEY = new Uint8Array(16).fill(0x44);
const twice = (half: Uint8Array): Uint8Array => Uint8Array.of(...half, ...half);
const SHORT_KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const LONG_KEYS = { ek: twice(SHORT_KEYS.ek), ak: twice(SHORT_KEYS.ak) };
const publicKeyOf = (privateKey: Uint8Array): Uint8Array => nodeCipher.publicKeyOf?.(privateKey) ?? new Uint8Array(0);

/** Keys of a suite: the shared ones, and the private keys of client and meter. */
const SUITES = {
  0: { suite: 0, keys: SHORT_KEYS, kek: KEK, client: new Uint8Array(32).fill(0x22), meter: new Uint8Array(32).fill(0x11) },
  1: { suite: 1, keys: SHORT_KEYS, kek: KEK, client: new Uint8Array(32).fill(0x22), meter: new Uint8Array(32).fill(0x11) },
  2: { suite: 2, keys: LONG_KEYS, kek: twice(KEK), client: new Uint8Array(48).fill(0x22), meter: new Uint8Array(48).fill(0x11) },
} as const;
type Suite = keyof typeof SUITES;
const { 0: SUITE_0, 1: SUITE_1, 2: SUITE_2 } = SUITES;

const octets = (data: Data): Uint8Array => encode(dataCodec, data);
const textOf = (size: number): Data => ({ type: 'octetString', value: Uint8Array.from({ length: size }, (_, i) => i % 251) });

describe.skipIf('missing' in python)('a client of pydlms and our meter', { timeout: 60_000 }, () => {
  const NOW = Date.UTC(2026, 5, 15, 12);
  const HASHES = { 4: 'hls', 5: 'hlsMd5', 6: 'hlsSha1', 7: 'hlsSha256' } as const;
  const PROTECTION = ['identified', 'wrapped', 'onePass', 'static'] as const;
  type Meter = 'blocks' | 'hdlc' | 'udp' | 'small' | `${Suite}` | `${1 | 2}/${(typeof PROTECTION)[number]}`;
  const servers = new Map<Meter, DeviceServer>();
  let counter = 1;

  const rulesOf = (suite: Suite): [number, ClientRule][] => [
    [1, { mechanism: 'hlsGmac', ciphered: true, publicKey: publicKeyOf(SUITES[suite].client) }],
    [2, { mechanism: 'none', ciphered: false }],
    [3, { mechanism: 'low', ciphered: false, password: PASSWORD }],
    ...Object.entries(HASHES).map(([sap, mechanism]): [number, ClientRule] => [
      Number(sap),
      { mechanism, ciphered: false, password: PASSWORD },
    ]),
    [8, { mechanism: 'hlsEcdsa', ciphered: true, publicKey: publicKeyOf(SUITES[suite].client) }],
    [9, { mechanism: 'hlsEcdsa', ciphered: false, publicKey: publicKeyOf(SUITES[suite].client) }],
    [10, { mechanism: 'hlsGmac', ciphered: true, publicKey: publicKeyOf(SUITES[suite].client), signed: true }],
  ];

  async function serve(name: Meter, suite: Suite, options: Partial<Parameters<typeof ourMeter>[0]> = {}): Promise<void> {
    const { keys, meter: privateKey } = SUITES[suite];
    const deviceOf = ourMeter({ keys: { ...keys, bk: BROADCAST_KEY }, suite, privateKey, now: NOW, rules: rulesOf(suite), ...options });
    const framing = name === 'hdlc' || name === 'udp' ? name : 'wrapper';
    servers.set(name, await serveDevices({ port: 0, host: '127.0.0.1', framing, deviceOf }));
  }

  function choiceOf(suite: 1 | 2, kind: (typeof PROTECTION)[number]) {
    const { kek, client, meter } = SUITES[suite];
    const peerAgreementKey = publicKeyOf(client);
    if (kind === 'identified') return { kind, key: 'unicast' } as const;
    if (kind === 'wrapped') return { kind, kek } as const;
    return kind === 'onePass' ? { kind, signingKey: meter, peerAgreementKey } : { kind, agreementKey: meter, peerAgreementKey };
  }

  beforeAll(async () => {
    for (const suite of [0, 1, 2] as const) await serve(`${suite}`, suite);
    await serve('blocks', 0, { generalBlockTransfer: { window: 4 } });
    for (const name of ['hdlc', 'udp'] as const) await serve(name, 0);
    for (const suite of [1, 2] as const) {
      const { kek, client, meter } = SUITES[suite];
      const known = { kek, agreementKey: meter, peerAgreementKey: publicKeyOf(client), peerSigningKey: publicKeyOf(client) };
      for (const kind of PROTECTION)
        await serve(`${suite}/${kind}`, suite, { generalCiphering: { ...known, choice: choiceOf(suite, kind) } });
    }
  }, INSTALL_MS);
  afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));

  async function client(at: Meter, settings: object, commands: unknown[][]): Promise<unknown[]> {
    if ('missing' in python) return [];
    // More counters than a test uses.
    counter += 10_000;
    const port = String(servers.get(at)?.port);
    const { code, answers, errors } = await runPython(
      python.pythonPath,
      'pydlms_client.py',
      [port, JSON.stringify({ ...settings, counter })],
      commands,
    );
    expect({ code, errors }).toEqual({ code: 0, errors: expect.not.stringContaining('Traceback') });
    return answers.map((answer) => (answer as { value: unknown }).value); // as: so the script prints it
  }

  const secured = (suite: Suite) => {
    const { keys, kek, client: privateKey, meter } = SUITES[suite];
    const signatures = suite === 0 ? {} : { privateKey: toHex(privateKey), publicKey: toHex(publicKeyOf(meter)) };
    return { suite, ek: toHex(keys.ek), ak: toHex(keys.ak), kek: toHex(kek), ...signatures };
  };
  const GMAC = { client: 1, mechanism: 'HLS_GMAC' };
  const NAME = Buffer.from('HES0000000000002').toString('hex').toUpperCase();
  const NAME_AT = [1, '0.0.42.0.0.255', 2];
  const ENERGY_AT = [3, '1.0.1.8.0.255', 2];
  const NOTES_AT = [1, '0.0.96.1.1.255', 2];
  const OTHER_NOTES_AT = [1, '0.0.96.1.2.255', 2];
  const RELAY_AT = [70, '0.0.96.3.10.255', 1];
  const READ = [
    ['read', ...ENERGY_AT],
    ['read', ...NAME_AT],
  ];
  const READ_ANSWERS = [5009, NAME];

  it.each([
    ['wrapper', '0'],
    ['HDLC', 'hdlc'],
    ['UDP', 'udp'],
  ] as const)('writes without response and broadcasts under the broadcast key, over %s', async (_, at) => {
    const zone = at.length * 10;
    const transport = at === 'hdlc' ? { hdlc: 256 } : at === 'udp' ? { udp: true } : {};
    const answers = await client(at, { ...GMAC, ...secured(0), bk: toHex(BROADCAST_KEY), ...transport }, [
      ['write_unconfirmed', ...NOTES_AT, 30],
      ['broadcast', 8, '0.0.1.0.0.255', 3, zone],
      ['read', 8, '0.0.1.0.0.255', 3],
    ]);
    expect(answers).toEqual([true, true, zone]);
  });

  it.each([
    ['without security', '0', { client: 2, mechanism: 'NONE' }, 'plain'],
    ['with a password', '0', { client: 3, mechanism: 'LLS', password: toHex(PASSWORD) }, 'plain'],
    ['with GMAC and ciphering', '0', { ...GMAC, ...secured(0) }, 'verified'],
    ['with general-glo', '0', { ...GMAC, ...secured(0), general: true, protection: 'general-glo' }, 'verified'],
    ['with a dedicated key', '0', { ...GMAC, ...secured(0), dedicated: true }, 'verified'],
    ['over HDLC', 'hdlc', { ...GMAC, ...secured(0), hdlc: 512 }, 'verified'],
    ['over UDP', 'udp', { ...GMAC, ...secured(0), udp: true }, 'verified'],
  ] as const)('read, write and invoke, alone, by list, in blocks and by selection, %s', async (_, at, settings, released) => {
    const answers = await client(at, settings, [
      ...READ,
      ['list', ENERGY_AT, NAME_AT, [1, '1.2.3.4.5.255', 2]],
      ['write', ...NOTES_AT, 20],
      ['write', ...NOTES_AT, 3000],
      ['write_list', [...NOTES_AT, 700], [...OTHER_NOTES_AT, 900]],
      ['invoke', ...RELAY_AT, 0],
      ['echo', ...NOTES_AT.with(2, 1), 2500],
      ['invoke_list', [...RELAY_AT.with(2, 2), 0], [...RELAY_AT, 0]],
      ['profile', '1.0.99.1.0.255'],
      ['profile', '1.0.99.1.0.255', 'rows', 3, 6],
      ['profile', '1.0.99.1.0.255', 'range', '2026-06-15T10:00:00Z', '2026-06-15T11:00:00Z'],
      ['release'],
    ]);
    expect(answers).toEqual([
      ...READ_ANSWERS,
      [5009, NAME, 'OBJECT_UNDEFINED'],
      true,
      true,
      ['SUCCESS', 'SUCCESS'],
      true,
      true,
      [null, null],
      [96, expect.any(Array)],
      [4, expect.any(Array)],
      [5, expect.any(Array)],
      released,
    ]);
  });

  it.each([
    ['AES (mechanism 2)', 4, 'HLS'],
    ['MD5', 5, 'HLS_MD5'],
    ['SHA-1', 6, 'HLS_SHA1'],
    ['SHA-256', 7, 'HLS_SHA256'],
  ])('prove themselves to each other by %s', async (_, sap, mechanism) => {
    expect(await client('0', { client: sap, mechanism, password: toHex(PASSWORD), ...secured(0), plain: true }, READ)).toEqual(
      READ_ANSWERS,
    );
  });

  it.each([1, 2] as const)('read in suite %i, with GMAC and with signatures, ciphered and plain', async (suite) => {
    for (const [sap, mechanism] of [
      [1, 'HLS_GMAC'],
      [8, 'HLS_ECDSA'],
    ] as const)
      expect(
        await client(`${suite}`, { client: sap, mechanism, ...secured(suite) }, [...READ, ['write', ...NOTES_AT, 3000], ['release']]),
      ).toEqual([...READ_ANSWERS, true, 'verified']);
    expect(await client(`${suite}`, { client: 9, mechanism: 'HLS_ECDSA', ...secured(suite), plain: true }, READ)).toEqual(READ_ANSWERS);
  });

  it.each(PROTECTION.flatMap((kind) => [[1, kind] as const, [2, kind] as const]))(
    'read in suite %i with general ciphering: %s',
    async (suite, kind) => {
      const settings = { ...GMAC, ...secured(suite), general: true, protection: 'general-ciphering', keyInfo: kind };
      expect(await client(`${suite}/${kind}`, settings, [...READ, ['write', ...NOTES_AT, 3000]])).toEqual([...READ_ANSWERS, true]);
    },
  );

  it.each([
    [1, 'glo+signing'],
    [2, 'glo+signing'],
    [1, 'general-ciphering+signing'],
    [2, 'general-ciphering+signing'],
  ] as const)('read in suite %i with general signing: %s', async (suite, protection) => {
    const settings = { client: 10, mechanism: 'HLS_GMAC', ...secured(suite), general: true, protection, keyInfo: 'identified' };
    const at = protection === 'glo+signing' ? (`${suite}` as const) : (`${suite}/identified` as const);
    expect(await client(at, settings, [...READ, ['write', ...NOTES_AT, 3000], ['release']])).toEqual([...READ_ANSWERS, true, 'verified']);
  });

  it.each([
    ['plain', { client: 2, mechanism: 'NONE' }],
    ['ciphered', { ...GMAC, ...secured(0) }],
  ])('read, write and invoke with one ACCESS, %s', async (_, settings) => {
    const [answer] = await client('0', settings, [
      [
        'access',
        ['get', ...ENERGY_AT],
        ['set', ...NOTES_AT, 20],
        ['action', ...RELAY_AT, 0],
        ['get', ...RELAY_AT.with(2, 2)],
        ['get', 1, '1.2.3.4.5.255', 2],
      ],
    ]);
    expect(answer).toEqual([
      ['SUCCESS', 5009],
      ['SUCCESS', null],
      ['SUCCESS', null],
      ['SUCCESS', false],
      ['OBJECT_UNDEFINED', null],
    ]);
  });

  it.each([
    ['plain, one block at a time', { client: 2, mechanism: 'NONE', window: 1 }],
    ['plain, in windows', { client: 2, mechanism: 'NONE', window: 3 }],
    ['ciphered, in windows', { ...GMAC, ...secured(0), window: 6 }],
  ])('transfer long requests and long answers in general blocks: %s', async (_, settings) => {
    const answers = await client('blocks', { ...settings, pdu: 200 }, [
      ['granted'],
      ['profile', '1.0.99.1.0.255'],
      ['write', ...NOTES_AT, 5000],
      ['echo', ...NOTES_AT.with(2, 1), 5000],
      ['access', ['set', ...NOTES_AT, 3000], ['get', ...NOTES_AT]],
    ]);
    expect(answers).toEqual([
      expect.arrayContaining(['GENERAL_BLOCK_TRANSFER']),
      [96, expect.any(Array)],
      true,
      true,
      [
        ['SUCCESS', null],
        ['SUCCESS', expect.stringMatching(/^[0-9A-F]{6000}$/)],
      ],
    ]);
  });
});

describe.skipIf('missing' in python)('our client and a meter of pydlms', { timeout: 60_000 }, () => {
  const NAME = { classId: 1, instance: obis('0.0.42.0.0.255'), attributeId: 2 };
  const NOTES = { classId: 1, instance: obis('0.0.96.1.1.255'), attributeId: 2 };
  const ENERGY = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
  const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
  const RELAY = { classId: 70, instance: obis('0.0.96.3.10.255') };
  const OBJECTS = { classId: 15, instance: obis('0.0.40.0.0.255'), attributeId: 2 };
  const ENERGY_DATA = octets({ type: 'doubleLongUnsigned', value: 12_345_678 });
  const ROWS = 96;
  const TITLE = fromHex('4D4D4D0000000004');

  let process: ChildProcess;
  let ports: Record<string, number>;
  let session: ClientSession | undefined;
  let counter = 1;

  const given = ({ suite, keys, kek, client, meter }: (typeof SUITES)[Suite]) => ({
    suite,
    ek: toHex(keys.ek),
    ak: toHex(keys.ak),
    kek: toHex(kek),
    password: toHex(PASSWORD),
    ...(suite === 0 ? {} : { privateKey: toHex(meter), publicKey: toHex(publicKeyOf(client)) }),
  });
  const METERS = {
    suite0: given(SUITE_0),
    suite1: given(SUITE_1),
    suite2: given(SUITE_2),
    hdlc: { ...given(SUITE_0), hdlc: true, hdlcWindow: 3 },
    reads: { ...given(SUITE_0), granted: ['GET', 'BLOCK_TRANSFER_WITH_GET_OR_READ'] },
    blocks: { ...given(SUITE_0), window: 3, pdu: 256 },
    // Drops the second block of each response and the third of each request.
    losing: { ...given(SUITE_0), window: 3, pdu: 256, loses: [2], ignores: [3] },
  };

  beforeAll(async () => {
    if ('missing' in python) return;
    const child = startPython(python.pythonPath, 'pydlms_meter.py', [JSON.stringify(METERS)]);
    process = child;
    child.stderr.resume();
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]; // as: the event's arguments
    ports = JSON.parse(line) as Record<string, number>; // as: so the script prints it
  }, INSTALL_MS);
  afterEach(() => session?.close());
  afterAll(() => void process.stdin?.end());

  async function opened(
    at: keyof typeof METERS,
    clientSap: number,
    { timeoutMs = 10_000, ...options }: Partial<ClientOptions> & { timeoutMs?: number } = {},
  ) {
    const { suite, keys, client, meter } = SUITES[at === 'suite1' ? 1 : at === 'suite2' ? 2 : 0];
    const hdlc =
      at === 'hdlc'
        ? { parameters: { maxInformationReceive: 512, maxInformationTransmit: 512, windowReceive: 3, windowTransmit: 3 } }
        : undefined;
    const talking = await connectSession({ host: '127.0.0.1', port: ports[at] ?? 0, clientSap, serverSap: 1, timeoutMs, hdlc });
    session = talking;
    counter += 1000;
    const blocks = options.generalBlockTransfer;
    const association = new ClientAssociation({
      mechanism: 'hlsGmac',
      ciphered: true,
      systemTitle: TITLE,
      password: PASSWORD,
      keys,
      suite,
      signing: { privateKey: client, peerPublicKey: publicKeyOf(meter) },
      cipher: nodeCipher,
      maxPduSize: 1024,
      nextCounter: () => counter++,
      peer: { counter: -1 },
      ...options,
      ...(blocks === undefined ? {} : { generalBlockTransfer: { ...blocks, post: (block) => talking.send(block) } }),
    });
    await talking.run(association.open());
    return { association, run: talking.run.bind(talking) };
  }

  it.each([
    ['without security', 'suite0', 2, { mechanism: 'none', ciphered: false }],
    ['with a password', 'suite0', 3, { mechanism: 'low', ciphered: false }],
    ['with GMAC and ciphering', 'suite0', 1, {}],
    ['with general-glo', 'suite0', 1, { generalProtection: true }],
    ['with a dedicated key', 'suite0', 1, { dedicatedKey: new Uint8Array(16).fill(0x66) }],
    ['over HDLC with windows', 'hdlc', 1, {}],
  ] as const)('read, write and invoke, alone, by list, in blocks and by selection, %s', async (_, at, clientSap, options) => {
    const { association, run } = await opened(at, clientSap, options);
    expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: ENERGY_DATA });
    expect(await run(association.getList([ENERGY, NAME, { ...NAME, instance: obis('1.2.3.4.5.255') }]))).toEqual([
      { ok: true, data: ENERGY_DATA },
      { ok: true, data: expect.any(Uint8Array) },
      { ok: false, result: 'objectUndefined' },
    ]);
    for (const size of [20, 3000]) {
      expect(await run(association.set(NOTES, octets(textOf(size))))).toEqual({ ok: true });
      expect(await run(association.get(NOTES))).toEqual({ ok: true, data: octets(textOf(size)) });
    }
    expect(await run(association.invoke({ ...RELAY, methodId: 1 }, octets({ type: 'integer', value: 0 })))).toMatchObject({ ok: true });
    expect(await run(association.invoke({ ...NOTES, methodId: 1 }, octets(textOf(2500))))).toEqual({
      ok: true,
      data: octets(textOf(2500)),
    });
    const rowsOf = async (selection?: Parameters<typeof association.get>[1]) => {
      const answer = await run(association.get(PROFILE, selection));
      const rows = answer.ok ? decode(dataCodec, answer.data) : undefined;
      return rows?.type === 'array' ? rows.value.length : answer;
    };
    expect(await rowsOf()).toBe(ROWS);
    expect(await rowsOf(entrySelection({ fromEntry: 3, toEntry: 6 }))).toBe(4);
    const from = fromEpochMs(Date.UTC(2024, 4, 1, 1), 0);
    expect(await rowsOf(rangeSelection({ from, to: fromEpochMs(Date.UTC(2024, 4, 1, 2), 0) }))).toBe(5);
    const objects = await run(association.get(OBJECTS));
    expect(objects.ok && typedObjectList(objects.data).length).toBeGreaterThan(5);
    await run(association.release());
  });

  it.each([
    ['plain', 'suite0', 2, { mechanism: 'none', ciphered: false }],
    ['ciphered', 'suite0', 1, {}],
    ['ciphered over HDLC', 'hdlc', 1, {}],
  ] as const)('execute what has no response, %s', async (_, at, clientSap, options) => {
    const { association, run } = await opened(at, clientSap, options);
    for (const size of [7, 8]) {
      session?.send(association.buildUnconfirmed({ set: { ref: NOTES, data: octets(textOf(size)) } }));
      expect(await run(association.get(NOTES))).toEqual({ ok: true, data: octets(textOf(size)) });
    }
  });

  it.each([
    ['AES (mechanism 2)', 4, 'hls'],
    ['MD5', 5, 'hlsMd5'],
    ['SHA-1', 6, 'hlsSha1'],
    ['SHA-256', 7, 'hlsSha256'],
  ] as const)('prove themselves to each other by %s', async (_, clientSap, mechanism) => {
    const { association, run } = await opened('suite0', clientSap, { mechanism, ciphered: false });
    expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: ENERGY_DATA });
  });

  // With GMAC this simulator always responds with suite 0, which its client also refuses.
  it.each(['suite1', 'suite2'] as const)('read in %s with signatures', async (at) => {
    const { association, run } = await opened(at, 8, { mechanism: 'hlsEcdsa' });
    expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: ENERGY_DATA });
    await run(association.release());
  });

  it.each(['suite1', 'suite2'] as const)('read with general ciphering and with general signing in %s', async (at) => {
    const { kek, client, meter } = at === 'suite1' ? SUITE_1 : SUITE_2;
    const peerAgreementKey = publicKeyOf(meter);
    const known = { kek, agreementKey: client, peerAgreementKey, peerSigningKey: publicKeyOf(meter) };
    const choices = [
      { kind: 'identified', key: 'unicast' },
      { kind: 'wrapped', kek },
      { kind: 'onePass', signingKey: client, peerAgreementKey },
      { kind: 'static', agreementKey: client, peerAgreementKey },
    ] as const;
    for (const choice of choices)
      for (const generalSigning of [false, true]) {
        const { association, run } = await opened(at, 8, { mechanism: 'hlsEcdsa', generalCiphering: { ...known, choice }, generalSigning });
        expect(await run(association.get(ENERGY)), choice.kind).toEqual({ ok: true, data: ENERGY_DATA });
        session?.close();
      }
    const { association, run } = await opened(at, 8, { mechanism: 'hlsEcdsa', generalSigning: true });
    expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: ENERGY_DATA });
    expect(await run(association.set(NOTES, octets(textOf(3000))))).toEqual({ ok: true });
    await run(association.release());
  });

  it.each([
    ['plain', 2, { mechanism: 'none', ciphered: false }],
    ['ciphered', 1, { generalProtection: true }],
  ] as const)('read, write and invoke with one ACCESS, %s', async (_, clientSap, options) => {
    const { association, run } = await opened('suite0', clientSap, options);
    const results = await run(
      association.access([
        { kind: 'get', ref: ENERGY },
        { kind: 'set', ref: NOTES, data: octets(textOf(9)) },
        { kind: 'action', ref: { ...RELAY, methodId: 1 }, data: octets({ type: 'integer', value: 0 }) },
        { kind: 'get', ref: NOTES },
      ]),
    );
    expect(results.map(({ result }) => result)).toEqual(['success', 'success', 'success', 'success']);
    expect([results[0]?.data, results[3]?.data]).toEqual([ENERGY_DATA, octets(textOf(9))]);
  });

  it.each([
    ['plain', 2, { mechanism: 'none', ciphered: false }],
    ['ciphered', 1, {}],
  ] as const)('transfer long requests and long answers in general blocks, %s', async (_, clientSap, options) => {
    for (const window of [1, 4]) {
      const { association, run } = await opened('blocks', clientSap, { ...options, maxPduSize: 256, generalBlockTransfer: { window } });
      expect(association.negotiated.conformance).toContain('generalBlockTransfer');
      for (const size of [300, 1500, 5000]) {
        expect(await run(association.set(NOTES, octets(textOf(size))))).toEqual({ ok: true });
        expect(await run(association.get(NOTES))).toEqual({ ok: true, data: octets(textOf(size)) });
      }
      expect(await run(association.setList([NOTES, NOTES].map((ref) => ({ ref, data: octets(textOf(900)) }))))).toEqual([
        { ok: true },
        { ok: true },
      ]);
      session?.close();
    }
  });

  it('send again, and ask again for, what a meter loses on either way in general blocks', async () => {
    const { association, run } = await opened('losing', 1, { maxPduSize: 256, generalBlockTransfer: { window: 4 } });
    for (const size of [1500, 3000]) {
      expect(await run(association.set(NOTES, octets(textOf(size))))).toEqual({ ok: true });
      expect(await run(association.get(NOTES))).toEqual({ ok: true, data: octets(textOf(size)) });
    }
  });

  it('keep the association when something is asked that the meter does not grant', async () => {
    const { association, run } = await opened('reads', 2, { mechanism: 'none', ciphered: false });
    expect(association.negotiated.conformance).toEqual(['blockTransferGet', 'get']);
    await expect(run(association.set(NOTES, octets(textOf(3))))).rejects.toMatchObject({ code: 'NOT_GRANTED' });
    expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: ENERGY_DATA });
  });
});
