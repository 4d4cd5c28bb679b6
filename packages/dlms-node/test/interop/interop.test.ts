import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import {
  exportCertificate,
  generateKeyPair,
  importCertificate,
  removeCertificate,
  requestCertificate,
} from '@hes/dlms/association/client-credentials.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { decodeProfileBuffer } from '@hes/dlms/cosem/profile-buffer.ts';
import { entrySelection, rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { issueCertificate } from '@hes/dlms/security/certificate.ts';
import { agreeOnKey } from '@hes/dlms/security/key-agreement.ts';
import { initializationVector, protectBody } from '@hes/dlms/security/protection.ts';
import { generalCiphering } from '@hes/dlms/xdlms/general-ciphering.ts';
import { connectSession, type ClientSession } from '../../src/client-session.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { serveDevices, type DeviceServer } from '../../src/device-server.ts';
import { nodeCipher } from '../../src/node-cipher.ts';
import { javaMeter, pythonStack, reportMissing, runPython } from './tools.ts';

const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const PASSWORD = new TextEncoder().encode('12345678');
const INSTALL_MS = 300_000;

const [java, python] = await Promise.all([javaMeter(), pythonStack('gurux')]);
reportMissing([java, python]);

const CLIENT_TITLE = fromHex('4D4D4D0000000001');
const METER_TITLE = fromHex('4752580000000001');
const SETUP = obis('0.0.43.0.0.255');
const NAME = { classId: 1, instance: obis('0.0.42.0.0.255'), attributeId: 2 };
const NOTES = { classId: 1, instance: obis('0.0.96.1.1.255'), attributeId: 2 };
const ENERGY = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
const CLOCK = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2 };
const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const RELAY = { classId: 70, instance: obis('0.0.96.3.10.255') };
const IMAGE = { classId: 18, instance: obis('0.0.44.0.0.255') };

const octets = (data: Data): Uint8Array => encode(dataCodec, data);
const INTEGER_0 = octets({ type: 'integer', value: 0 });
const FIRST_ROW = Date.UTC(2026, 0, 1);
const QUARTER_MS = 900_000;
/** The block size that the Java meter reports. */
const IMAGE_BLOCK = 100;
const HDLC = { maxInformationReceive: 512, maxInformationTransmit: 512, windowReceive: 1, windowTransmit: 1 };

type Port = 'wrapper' | 'hdlc' | 'suite1' | 'suite2' | 'shortNames';

/** Gurux's server misplaces a signature when one of its numbers has leading zeros, one in 75: retry. */
const untilSigned = <T>(attempt: () => Promise<T>): Promise<T> => attempt().catch(attempt).catch(attempt);
const twice = (half: Uint8Array): Uint8Array => Uint8Array.of(...half, ...half);
const LONG_KEYS = { ek: twice(KEYS.ek), ak: twice(KEYS.ak) };
const publicKeyOf = (privateKey: Uint8Array): Uint8Array => nodeCipher.publicKeyOf?.(privateKey) ?? new Uint8Array(0);
/** The private keys of both sides, by suite. */
const CLIENT_KEYS = { 1: new Uint8Array(32).fill(0x22), 2: new Uint8Array(48).fill(0x22) };
const METER_KEYS = { 1: new Uint8Array(32).fill(0x11), 2: new Uint8Array(48).fill(0x11) };

describe.skipIf('missing' in java)('our client and a meter of Gurux (Java)', { timeout: 30_000 }, () => {
  let meter: ChildProcess;
  let lines: Interface;
  let ports: Record<Port, number>;
  let session: ClientSession | undefined;
  let counter = Date.now() % 0x1000_0000;

  beforeAll(async () => {
    if ('missing' in java) return;
    const ourKeys = [CLIENT_KEYS[1], CLIENT_KEYS[2]].map((key) => toHex(publicKeyOf(key)));
    meter = spawn('java', ['-cp', java.classPath, 'GuruxMeter', ...ourKeys], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (meter.stdout === null) throw new Error('The meter has no output');
    lines = createInterface({ input: meter.stdout });
    const [line] = (await once(lines, 'line')) as [string]; // as: the event's arguments
    const [wrapper = 0, hdlc = 0, suite1 = 0, suite2 = 0, shortNames = 0] = line.split(' ').map(Number);
    ports = { wrapper, hdlc, suite1, suite2, shortNames };
  }, INSTALL_MS);

  afterEach(() => session?.close());
  afterAll(() => void meter.stdin?.end());

  type Wishes = Pick<ClientOptions, 'mechanism' | 'ciphered'> & Partial<ClientOptions> & { at?: Port };

  async function opened(clientSap: number, { at = 'wrapper', ...options }: Wishes) {
    const hdlc = at === 'hdlc' ? { parameters: HDLC } : undefined;
    const talking = await connectSession({ host: '127.0.0.1', port: ports[at], clientSap, serverSap: 1, hdlc });
    session = talking;
    const association = new ClientAssociation({
      systemTitle: CLIENT_TITLE,
      password: PASSWORD,
      keys: KEYS,
      cipher: nodeCipher,
      maxPduSize: 1024,
      nextCounter: () => counter++,
      peer: { counter: -1 },
      ...options,
    });
    await talking.run(association.open());
    return { association, run: talking.run.bind(talking) };
  }

  const WAYS = [
    ['without security', 16, { mechanism: 'none', ciphered: false }],
    ['with a password', 3, { mechanism: 'low', ciphered: false }],
    ['with GMAC and ciphering', 1, { mechanism: 'hlsGmac', ciphered: true }],
    ['with GMAC and general ciphering', 1, { mechanism: 'hlsGmac', ciphered: true, generalProtection: true }],
    [
      'with GMAC and a dedicated key',
      1,
      { mechanism: 'hlsGmac', ciphered: true, dedicatedKey: fromHex('F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF') },
    ],
    ['over HDLC, with a password', 3, { mechanism: 'low', ciphered: false, at: 'hdlc' }],
    ['over HDLC, with GMAC and ciphering', 1, { mechanism: 'hlsGmac', ciphered: true, at: 'hdlc' }],
  ] as const;

  describe.each(WAYS)('%s', (_, clientSap, options) => {
    it('reads, alone and by list, and is released', async () => {
      const { association, run } = await opened(clientSap, options);
      expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: octets({ type: 'doubleLongUnsigned', value: 5009 }) });
      expect(await run(association.getList([NAME, ENERGY]))).toMatchObject([{ ok: true }, { ok: true }]);
      await run(association.release());
      expect(association.state).toBe('released');
    });

    it('reads with ACCESS, and refuses the incomplete response of this meter to mixed items', async () => {
      const { association, run } = await opened(clientSap, options);
      const reads = [ENERGY, NAME, { ...ENERGY, instance: obis('1.0.99.99.99.255') }].map((ref) => ({ kind: 'get' as const, ref }));
      expect(await run(association.access(reads))).toMatchObject([
        { result: 'success', data: octets({ type: 'doubleLongUnsigned', value: 5009 }) },
        { result: 'success' },
        { result: 'objectUnavailable', data: octets({ type: 'null' }) },
      ]);
      // Data that carries nothing must be sent, too: the server reads the next field in its place.
      const order = { kind: 'action' as const, ref: { ...RELAY, methodId: 1 }, data: INTEGER_0 };
      await expect(run(association.access([...reads.slice(0, 2), order]))).rejects.toThrow('TRAILING_BYTES');
    });

    it('reads a profile in blocks, by range and by entry', async () => {
      const { association, run } = await opened(clientSap, { ...options, maxPduSize: 200 });
      const shape = { columns: 2, clockColumn: 0, capturePeriodSeconds: 900 };
      const rowsOf = async (selection?: ReturnType<typeof rangeSelection>) => {
        const result = await run(association.get(PROFILE, selection));
        if (!result.ok) throw new Error(result.result);
        return decodeProfileBuffer(result.data, shape);
      };
      const whole = await rowsOf();
      expect(whole.rows).toBe(300);
      expect(whole.clock[299]).toBe(FIRST_ROW + 299 * QUARTER_MS);
      const from = fromEpochMs(FIRST_ROW + 4 * QUARTER_MS, 0);
      const range = await rowsOf(rangeSelection({ from, to: fromEpochMs(FIRST_ROW + 8 * QUARTER_MS, 0) }));
      expect([...(range.values[0] ?? [])]).toEqual([1004, 1005, 1006, 1007, 1008]);
      expect((await rowsOf(entrySelection({ fromEntry: 10, toEntry: 12 }))).rows).toBeGreaterThanOrEqual(2);
    });

    it('sets the clock', async () => {
      const { association, run } = await opened(clientSap, options);
      const moment = fromEpochMs(Date.UTC(2026, 2, 1, 12), 0);
      expect(await run(association.set(CLOCK, octets({ type: 'octetString', value: encode(dateTimeCodec, moment) })))).toEqual({
        ok: true,
      });
      const answer = await run(association.get(CLOCK));
      const clock = answer.ok ? decode(dataCodec, answer.data) : undefined;
      if (clock?.type !== 'octetString' && clock?.type !== 'dateTime') throw new Error('No clock');
      expect(Math.abs((toEpochMs(decode(dateTimeCodec, clock.value), 0) ?? 0) - Date.UTC(2026, 2, 1, 12))).toBeLessThan(60_000);
    });

    it('switches the relay', async () => {
      const { association, run } = await opened(clientSap, options);
      for (const [methodId, value] of [
        [1, false],
        [2, true],
      ] as const) {
        expect(await run(association.invoke({ ...RELAY, methodId }, INTEGER_0))).toMatchObject({ ok: true });
        expect(await run(association.get({ ...RELAY, attributeId: 2 }))).toEqual({ ok: true, data: octets({ type: 'boolean', value }) });
      }
    });

    // Gurux's server appends three octets to the response to a block: the message has no known end and is refused.
    it('refuses the octets this meter appends to its response to a write in blocks', async () => {
      const { association, run } = await opened(clientSap, options);
      const value = octets({ type: 'octetString', value: new Uint8Array(3000) });
      await expect(run(association.set(NOTES, value))).rejects.toThrow('TRAILING_BYTES');
    });

    it('transfers an image', async () => {
      const { association, run } = await opened(clientSap, options);
      const image = Uint8Array.from({ length: 450 }, (_unused, i) => i & 0xff);
      const identifier: Data = { type: 'octetString', value: new TextEncoder().encode('TEST') };
      const call = (methodId: number, argument: Uint8Array) => run(association.invoke({ ...IMAGE, methodId }, argument));
      const initiate = octets({ type: 'structure', value: [identifier, { type: 'doubleLongUnsigned', value: image.length }] });
      expect(await call(1, initiate)).toMatchObject({ ok: true });
      for (let block = 0; block * IMAGE_BLOCK < image.length; block++) {
        const piece: Data = { type: 'octetString', value: image.slice(block * IMAGE_BLOCK, (block + 1) * IMAGE_BLOCK) };
        expect(await call(2, octets({ type: 'structure', value: [{ type: 'doubleLongUnsigned', value: block }, piece] }))).toMatchObject({
          ok: true,
        });
      }
      const bitmap = await run(association.get({ ...IMAGE, attributeId: 3 }));
      expect(bitmap).toEqual({ ok: true, data: octets({ type: 'bitString', value: '11111' }) });
      expect(await call(3, INTEGER_0)).toMatchObject({ ok: true });
    });
  });

  it.each([
    ['AES (mechanism 2)', 9, 'hls'],
    ['MD5', 5, 'hlsMd5'],
    ['SHA-1', 6, 'hlsSha1'],
    ['SHA-256', 7, 'hlsSha256'],
  ] as const)('authenticate mutually by %s', async (_, clientSap, mechanism) => {
    const { association, run } = await opened(clientSap, { mechanism, ciphered: false });
    expect(await run(association.get(ENERGY))).toMatchObject({ ok: true });
    await run(association.release());
  });

  // This server takes pass 3 of HLS by WRITE only and answers it twice in one APDU, and it never raises its counter after a response.
  describe.each([
    ['without security', { mechanism: 'none', ciphered: false }],
    ['with a password', { mechanism: 'low', ciphered: false }],
  ] as const)('by short names, %s', (_, options) => {
    it('reads, alone and by list, sets the clock, switches the relay and is released', async () => {
      const { association, run } = await opened(1, { ...options, at: 'shortNames', shortNames: {} });
      expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: octets({ type: 'doubleLongUnsigned', value: 5009 }) });
      expect(await run(association.getList([NAME, ENERGY]))).toMatchObject([{ ok: true }, { ok: true }]);
      const moment = fromEpochMs(Date.UTC(2026, 2, 1, 12), 0);
      const noon = octets({ type: 'octetString', value: encode(dateTimeCodec, moment) });
      expect(await run(association.set(CLOCK, noon))).toEqual({ ok: true });
      for (const [methodId, value] of [
        [1, false],
        [2, true],
      ] as const) {
        expect(await run(association.invoke({ ...RELAY, methodId }, INTEGER_0))).toMatchObject({ ok: true });
        expect(await run(association.get({ ...RELAY, attributeId: 2 }))).toEqual({ ok: true, data: octets({ type: 'boolean', value }) });
      }
      await run(association.release());
    });

    it('reads a profile in blocks, by range and by entry', async () => {
      const { association, run } = await opened(1, { ...options, at: 'shortNames', shortNames: {}, maxPduSize: 200 });
      const shape = { columns: 2, clockColumn: 0, capturePeriodSeconds: 900 };
      const rowsOf = async (selection?: ReturnType<typeof rangeSelection>) => {
        const result = await run(association.get(PROFILE, selection));
        if (!result.ok) throw new Error(result.result);
        return decodeProfileBuffer(result.data, shape);
      };
      const from = fromEpochMs(FIRST_ROW + 4 * QUARTER_MS, 0);
      const range = await rowsOf(rangeSelection({ from, to: fromEpochMs(FIRST_ROW + 8 * QUARTER_MS, 0) }));
      expect([...(range.values[0] ?? [])]).toEqual([1004, 1005, 1006, 1007, 1008]);
      expect((await rowsOf()).rows).toBe(300);
    });
  });

  it('reads chosen columns of a profile by range', async () => {
    const { association, run } = await opened(3, { mechanism: 'low', ciphered: false });
    const from = fromEpochMs(FIRST_ROW + 4 * QUARTER_MS, 0);
    const columns = [{ classId: 3, instance: ENERGY.instance, attributeId: 2, dataIndex: 0 }];
    const row = (value: number): Data => ({ type: 'structure', value: [{ type: 'doubleLongUnsigned', value }] });
    const range = await run(association.get(PROFILE, rangeSelection({ from, to: fromEpochMs(FIRST_ROW + 5 * QUARTER_MS, 0), columns })));
    expect(range.ok && decode(dataCodec, range.data)).toEqual({ type: 'array', value: [row(1004), row(1005)] });
  });

  // Gurux's server checks every signature with SHA-256, also those of suite 2, which are made with SHA-384.
  it.each([
    ['1, with GMAC', 1, 1, 'hlsGmac'],
    ['1, with signatures', 1, 8, 'hlsEcdsa'],
    ['2, with GMAC', 2, 1, 'hlsGmac'],
  ] as const)('reads in suite %s', async (_, suite, clientSap, mechanism) => {
    const signing = { privateKey: CLIENT_KEYS[suite], peerPublicKey: publicKeyOf(METER_KEYS[suite]) };
    const keys = suite === 2 ? LONG_KEYS : KEYS;
    const open = () => opened(clientSap, { mechanism, ciphered: true, suite, keys, signing, at: `suite${suite}` });
    const { association, run } = await untilSigned(open);
    expect(await run(association.get(ENERGY))).toEqual({ ok: true, data: octets({ type: 'doubleLongUnsigned', value: 5009 }) });
    await run(association.release());
  });

  it('agrees on a key without sending it, and continues with it', async () => {
    const agreement = { setup: SETUP, signingKey: CLIENT_KEYS[1], peerSigningKey: publicKeyOf(METER_KEYS[1]) };
    let proved = false;
    const onNewKeysUsed = () => void (proved = true);
    const agreeUnicastKey = async () => {
      const opening = await opened(1, { mechanism: 'hlsGmac', ciphered: true, suite: 1, at: 'suite1' });
      const agreed = await opening.run(opening.association.agreeKeys({ ...agreement, keyIds: ['globalUnicastEncryption'], onNewKeysUsed }));
      expect(agreed).toMatchObject({ ok: true });
      return opening;
    };
    const { association, run } = await untilSigned(agreeUnicastKey);
    expect(await run(association.get(ENERGY))).toMatchObject({ ok: true });
    expect(proved).toBe(true);
  });

  // Gurux's decoder omits the header from the authenticated data, against the standard, and has no key for its response. This shows that it
  // derives our key and finds the request.
  it('agrees on the key of a general-ciphering APDU by the static keys of both sides', async () => {
    await opened(1, { mechanism: 'hlsGmac', ciphered: true, suite: 1, at: 'suite1' });
    const empty = new Uint8Array(0);
    const titles = { originatorSystemTitle: CLIENT_TITLE, recipientSystemTitle: METER_TITLE };
    const head = { transactionId: fromHex('0000000000000007'), ...titles, dateTime: empty, otherInformation: empty };
    const choice = { kind: 'static', agreementKey: CLIENT_KEYS[1], peerAgreementKey: publicKeyOf(METER_KEYS[1]) } as const;
    const { key, keyInfo } = agreeOnKey(nodeCipher, 1, head, choice);
    const service = { securityControl: 0x31, invocationCounter: counter++ };
    const sealing = { key, ak: KEYS.ak, iv: initializationVector(CLIENT_TITLE, service.invocationCounter), securityControl: 0x31 };
    const body = protectBody(nodeCipher, sealing, fromHex('C1010100010000600101FF0200090401020304'));
    const told = once(lines, 'line');
    session?.send(encode(generalCiphering, { ...head, keyInfo, service: { ...service, body } }));
    expect(await told).toEqual(['write 0.0.96.1.1.255']);
  });

  it('generates a key pair, requests a certificate, and imports, exports and removes it', async () => {
    const { association, run } = await opened(1, { mechanism: 'hlsGmac', ciphered: true, suite: 1, at: 'suite1' });
    const of = { association, setup: SETUP };
    expect(await run(generateKeyPair(of, 'digitalSignature'))).toMatchObject({ ok: true });
    const request = await run(requestCertificate(of, nodeCipher, 'digitalSignature'));
    if (!request.ok) throw new Error(request.result);
    expect(request.value.subject).toBe('4752580000000001');
    const content = { ...request.value, serialNumber: Uint8Array.of(5), issuer: 'HES', from: '20260101000000Z', to: '20561231235959Z' };
    const certificate = issueCertificate(nodeCipher, CLIENT_KEYS[1], { ...content, use: 'digitalSignature' });
    expect(await run(importCertificate(of, certificate))).toMatchObject({ ok: true });
    const which = { by: 'entity', entity: 'server', type: 'digitalSignature', systemTitle: fromHex(request.value.subject) } as const;
    expect(await run(exportCertificate(of, which))).toEqual({ ok: true, value: certificate });
    expect(await run(removeCertificate(of, which))).toMatchObject({ ok: true });
    expect(await run(exportCertificate(of, which))).toMatchObject({ ok: false });
  });

  it('is rejected with a wrong password and with wrong keys', async () => {
    const wrong = new TextEncoder().encode('87654321');
    await expect(opened(3, { mechanism: 'low', ciphered: false, password: wrong })).rejects.toThrow(/AUTH_FAILED|REFUSED/);
    session?.close();
    const keys = { ...KEYS, ak: new Uint8Array(16) };
    await expect(opened(1, { mechanism: 'hlsGmac', ciphered: true, keys })).rejects.toThrow();
  });
});

describe.skipIf('missing' in python)('a client of Gurux (Python) and our meter', { timeout: 30_000 }, () => {
  let servers: Record<'wrapper' | 'hdlc' | 'udp', DeviceServer>;

  beforeAll(async () => {
    const deviceOf = demoMeter({
      cipher: nodeCipher,
      serial: '1',
      systemTitle: fromHex('4845534D00000001'),
      keys: KEYS,
      password: PASSWORD,
      now: () => Date.UTC(2026, 5, 15, 12, 7),
      days: 3,
      maxPduSize: 1024,
    });
    const serve = (framing: 'wrapper' | 'hdlc' | 'udp') => serveDevices({ port: 0, host: '127.0.0.1', framing, deviceOf });
    servers = { wrapper: await serve('wrapper'), hdlc: await serve('hdlc'), udp: await serve('udp') };
  }, INSTALL_MS);

  afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

  /** Sends commands to the client and returns its printed answers, without the log of its cipher. */
  async function client(args: string[], commands: unknown[][]): Promise<unknown[]> {
    if ('missing' in python) return [];
    const { port } = servers[args.includes('hdlc') ? 'hdlc' : args.includes('udp') ? 'udp' : 'wrapper'];
    const { code, answers, errors } = await runPython(python.pythonPath, 'gurux_client.py', [String(port), ...args], commands);
    expect(errors).toBe('');
    expect(code).toBe(0);
    return answers;
  }

  const NAME_TEXT = Buffer.from('HES0000000000001').toString('hex');
  const energy = (text: string): number => (Date.parse(text) / 1000) % 100_000_000;

  it.each([
    ['without security', ['2', 'none', '1024', '0']],
    ['with a password, in small blocks', ['3', 'low', '128', '0']],
    ['with GMAC and ciphering', ['1', 'gmac', '1024', '1']],
    ['with GMAC and ciphering, in small blocks', ['1', 'gmac', '128', '100000']],
    ['over HDLC, with a password', ['3', 'low', '1024', '0', 'hdlc']],
    ['over HDLC, with GMAC and ciphering', ['1', 'gmac', '1024', '200000', 'hdlc']],
    ['over UDP, with GMAC and ciphering', ['1', 'gmac', '1024', '300000', 'udp']],
  ])('reads, writes, sets, switches, transfers and is released %s', async (_, args) => {
    const answers = await client(args, [
      ['name'],
      ['register'],
      ['list'],
      ['access'],
      ['objects'],
      ['write', 20],
      ['write', 3000],
      ['clock', '2026-03-01T12:00:00Z'],
      ['relay', false],
      ['relay', true],
      ['image', 450],
      ['rows', 1, 2],
      ['range', '2026-06-14T10:00:00Z', '2026-06-14T10:30:00Z'],
    ]);
    const value = (expected: unknown) => ({ value: expected });
    expect(answers).toEqual([
      value(NAME_TEXT.toUpperCase()),
      value(2301),
      value([NAME_TEXT.toUpperCase(), 2301]),
      value([
        [0, 2301],
        [0, NAME_TEXT.toUpperCase()],
        [4, null],
      ]),
      value(expect.arrayContaining(['7/1.0.99.1.0.255', '18/0.0.44.0.0.255'])),
      value('000102030405060708090A0B0C0D0E0F10111213'),
      value(expect.stringMatching(/^0001[0-9A-F]{5992}B6B7$/)),
      value('2026-03-01T12:00:00Z'),
      value(false),
      value(true),
      value([5, '11111', 3, 6]),
      value([expect.any(Array), expect.any(Array)]),
      value(['10:00', '10:15', '10:30'].map((time) => [expect.any(String), 0, energy(`2026-06-14T${time}:00Z`)])),
    ]);
  });

  it.each([
    ['AES (mechanism 2)', '9', 'high'],
    ['MD5', '5', 'md5'],
    ['SHA-1', '6', 'sha1'],
    ['SHA-256', '7', 'sha256'],
  ])('authenticate mutually by %s', async (_, sap, mechanism) => {
    expect(await client([sap, mechanism, '1024', '0'], [['register']])).toEqual([{ value: 2301 }]);
  });
});
