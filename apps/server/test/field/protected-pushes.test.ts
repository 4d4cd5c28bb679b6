import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeNotification, isConfirmation } from '@hes/dlms/association/notification.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { pushSetup } from '@hes/dlms/cosem/classes/push-setup.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { applyGeneralSigning, protectGeneralCiphering, type KeyChoice } from '@hes/dlms/security/general-protection.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Field } from '../../src/field/start-field.ts';
import { clientTitleOf } from '../../src/platform/client-title.ts';
import { keyPair } from '../authority.ts';
import type { TestApp } from '../test-app.ts';
import { certifiedBench, type CertifiedBench } from './certified-bench.ts';
import type { CertifiedHeadEnd } from './certified.ts';
import { TinyDcu, tinyMeter, type TinyMeter } from './tiny-dcu.ts';

/* Pushes under agreed keys (general-ciphering) and signed pushes (general-signing), verified with the certificates of the meter. */

const WITHIN = { timeout: 10_000, interval: 20 };
const HOUR_MS = 3_600_000;
const DEVIATION = -480;
const LPA = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const PUSH_SETUP = { classId: 40, instance: obis('0.0.25.9.0.255'), attributeId: 2 };

let bench: CertifiedBench;
let app: TestApp;
let field: Field;
let ask: CertifiedBench['ask'];
let headEnd: CertifiedHeadEnd;
let headEndTitle: Uint8Array;
const connected: TinyDcu[] = [];
let number = 0;

beforeAll(async () => {
  bench = await certifiedBench(['digitalSignature', 'keyAgreement']);
  ({ app, field, headEnd, ask } = bench);
  headEndTitle = clientTitleOf(app.ctx.secrets);
});
afterEach(() => {
  for (const dcu of connected.splice(0)) dcu.close();
});
afterAll(() => bench.close());

const query = async <T extends object>(text: string, values: unknown[] = []) => (await app.ctx.pool.query<T>(text, values)).rows;

type Suite = 1 | 2;
type Pair = ReturnType<typeof keyPair>;

interface PushingMeter {
  id: string;
  dcuId: string;
  meter: TinyMeter;
  suite: Suite;
  dcu: TinyDcu;
  signing: Pair;
  agreement: Pair;
  /** Long invoke ids that the head-end confirmed. */
  confirmed: Set<number>;
}

interface TypeOptions {
  keyAgreement?: 'none' | 'one_pass' | 'static';
  generalSigning?: boolean;
  isCertified?: boolean;
}

/** A meter with key pairs, of a type that loads certificates, behind a connected DCU. */
async function pushingMeter(suite: Suite, { keyAgreement = 'none', generalSigning = false, isCertified = true }: TypeOptions = {}) {
  const sn = `PUSH${String(++number).padStart(6, '0')}`;
  const [signing, agreement] = [keyPair(suite), keyPair(suite)];
  const peer = { peerSigningKey: headEnd.publicKeyOf(suite), peerAgreementKey: headEnd.publicKeyOf(suite, 'keyAgreement') };
  const choice = { kind: 'static' as const, agreementKey: agreement.privateKey, peerAgreementKey: peer.peerAgreementKey };
  const rule = { mechanism: 'hlsGmac' as const, ciphered: true, publicKey: peer.peerSigningKey };
  const meter = tinyMeter(sn, number, () => Date.now(), rule, {
    suite,
    privateKey: signing.privateKey,
    generalCiphering: { ...peer, agreementKey: agreement.privateKey, choice },
  });
  const { rows } = await sql<{ id: string; dcuId: string }>`
    with type as (insert into meter_type (code, name, supplier_id, phase, profile_id, authentication_type, security_suite, key_agreement, general_signing)
      select ${sn}, ${sn}, supplier_id, phase, profile_id, 'hls_gmac', ${suite}, ${keyAgreement}, ${generalSigning} from meter_type limit 1 returning id),
    own as (insert into dcu (sn, name, dcu_type_id, authentication_type, transformer_id)
      select ${`D${sn}`}, ${sn}, dcu_type_id, 'none', transformer_id from dcu limit 1 returning id, transformer_id)
    insert into meter (sn, meter_type_id, communication_mode, inventory_state, system_title, dcu_id, transformer_id)
    select ${sn}, type.id, 'plc', 'active', ${Buffer.from(meter.systemTitle)}, own.id, own.transformer_id from type, own
    returning id, dcu_id as "dcuId"`.execute(app.ctx.db);
  const { id = '', dcuId = '' } = rows[0] ?? {};
  if (isCertified) {
    await headEnd.certify(meter.systemTitle, suite, { keys: signing });
    await headEnd.certify(meter.systemTitle, suite, { keys: agreement, use: 'keyAgreement' });
  }
  await ask('PUT', `/asset/meter/${id}/keys`, { ek: toHex(meter.keys.ek), ak: toHex(meter.keys.ak) });
  const dcu = new TinyDcu(field.port, `D${sn}`, [meter]);
  connected.push(dcu);
  const confirmed = new Set<number>();
  const deframer = new WrapperDeframer();
  dcu.socket.on('data', (chunk: Buffer) => {
    for (const { apdu } of deframer.push(chunk)) {
      const payload = decodeGateway(apdu)?.apdu ?? apdu;
      if (payload[0] !== 0x10) continue;
      for (let longInvokeId = 1; longInvokeId < 10; longInvokeId++)
        if (isConfirmation(payload, longInvokeId, () => undefined)) confirmed.add(longInvokeId);
    }
  });
  await vi.waitFor(() => expect(field.reach.isOnline(dcuId)).toBe(true), WITHIN);
  return { id, dcuId, meter, suite, dcu, signing, agreement, confirmed } satisfies PushingMeter;
}

/** The last hour of the load profile, after the list of its objects. */
function lastRows({ meter }: PushingMeter): Uint8Array {
  const now = Date.now();
  const range = rangeSelection({ from: fromEpochMs(now - HOUR_MS, DEVIATION), to: fromEpochMs(now, DEVIATION) });
  const rows = meter.objects.get(objectKey(LPA.classId, LPA.instance))?.read(2, range);
  if (!(rows instanceof Uint8Array)) throw new Error('No rows');
  const list = [PUSH_SETUP, LPA].map((object) => ({ ...object, dataIndex: 0 }));
  return Buffer.concat([Uint8Array.of(0x02, 2), encode(pushSetup.attributes.pushObjectList.codec, list), rows]);
}

const plainPush = (from: PushingMeter, longInvokeId: number): Uint8Array =>
  encodeNotification({ longInvokeId, confirmed: true, dateTime: fromEpochMs(Date.now(), DEVIATION), body: lastRows(from) });

const headerOf = ({ meter }: PushingMeter) => ({
  transactionId: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, ++number),
  originatorSystemTitle: meter.systemTitle,
  recipientSystemTitle: headEndTitle,
});

/** General-ciphering under an agreed key. */
function agreed(
  from: PushingMeter,
  longInvokeId: number,
  kind: 'onePass' | 'static',
  { signing, agreement }: { signing: Pair; agreement: Pair } = from,
) {
  const peerAgreementKey = headEnd.publicKeyOf(from.suite, 'keyAgreement');
  const choice: KeyChoice =
    kind === 'onePass'
      ? { kind, signingKey: signing.privateKey, peerAgreementKey }
      : { kind, agreementKey: agreement.privateKey, peerAgreementKey };
  const { keys, nextCounter } = from.meter;
  const protection = { cipher: nodeCipher, suite: from.suite, policy: 'authEnc' as const, keys, choice };
  return protectGeneralCiphering(plainPush(from, longInvokeId), { ...protection, counter: 50_000 + nextCounter(), header: headerOf(from) });
}

/** General-glo-ciphering, as other pushes have it. */
const ciphered = (from: PushingMeter, longInvokeId: number): Uint8Array =>
  encodeNotification({
    longInvokeId,
    confirmed: true,
    dateTime: fromEpochMs(Date.now(), DEVIATION),
    body: lastRows(from),
    protection: {
      cipher: nodeCipher,
      keys: from.meter.keys,
      policy: 'authEnc',
      suite: from.suite,
      systemTitle: from.meter.systemTitle,
      counter: 50_000 + from.meter.nextCounter(),
    },
  });

const signed = (from: PushingMeter, content: Uint8Array, { privateKey }: Pair = from.signing): Uint8Array =>
  applyGeneralSigning(content, { cipher: nodeCipher, privateKey, header: headerOf(from) });

const push = ({ dcu, meter }: PushingMeter, apdu: Uint8Array) =>
  dcu.socket.write(
    encodeWrapper({ source: 1, destination: 1 }, encodeGateway({ networkId: 0, address: Buffer.from(meter.sn, 'ascii') }, apdu)),
  );

/** Reads a former day of the profile, so that the layout of pushed rows is known. */
async function learnLayout({ id }: PushingMeter): Promise<void> {
  const order = { meterIds: [id], kind: 'lpa', from: '2026-05-01', to: '2026-05-01' };
  const { taskId } = await ask('POST', '/action/read/on-demand', order);
  await vi.waitFor(async () => expect((await ask('GET', `/task/${taskId}`)).finishedAt).not.toBeNull(), WITHIN);
  expect((await ask('GET', `/task/${taskId}/items`)).items[0]).toMatchObject({ state: 'read_success' });
}

/** Number of stored captures of the last two days. */
async function storedCaptures({ id }: PushingMeter): Promise<number> {
  const [row] = await query<{ count: number }>(
    `select count(*)::int as count from reading_profile p, generate_subscripts(p.status, 1) k
     where meter_id = $1 and day > now() - interval '3 days' and p.status[k] is not null`,
    [id],
  );
  return row?.count ?? 0;
}

const eventsOf = async ({ dcuId }: PushingMeter) =>
  (await query<{ message: string }>('select message from event where dcu_id = $1 and code = 60006 order by id', [dcuId])).map(
    ({ message }) => message,
  );

async function expectStored(from: PushingMeter, longInvokeId: number): Promise<void> {
  await vi.waitFor(() => expect([...from.confirmed]).toContain(longInvokeId), WITHIN);
  expect(await storedCaptures(from)).toBeGreaterThanOrEqual(3);
  expect(await eventsOf(from)).toEqual([]);
}

async function expectRefused(from: PushingMeter, reason: string): Promise<void> {
  await vi.waitFor(async () => expect(await eventsOf(from)).toEqual([`${from.meter.sn} · ${reason}`]), WITHIN);
  expect([from.confirmed.size, await storedCaptures(from)]).toEqual([0, 0]);
}

describe.each([1, 2] as const)('in suite %i, a push', (suite) => {
  it.each([
    ['onePass', 'one_pass'],
    ['static', 'static'],
  ] as const)('under an agreed key (%s) is stored and confirmed', async (kind, keyAgreement) => {
    const from = await pushingMeter(suite, { keyAgreement });
    await learnLayout(from);
    push(from, agreed(from, 1, kind));
    await expectStored(from, 1);
  });

  it('that is signed is stored and confirmed, around the global key and around an agreed one', async () => {
    const from = await pushingMeter(suite, { keyAgreement: 'static', generalSigning: true });
    await learnLayout(from);
    push(from, signed(from, ciphered(from, 1)));
    await expectStored(from, 1);
    push(from, signed(from, agreed(from, 2, 'static')));
    await expectStored(from, 2);
  });
});

describe('a push is refused with an event', () => {
  it.each(['onePass', 'static'] as const)('under an agreed key (%s) of another meter', async (kind) => {
    const from = await pushingMeter(1, { keyAgreement: kind === 'onePass' ? 'one_pass' : 'static' });
    push(from, agreed(from, 1, kind, { signing: keyPair(1), agreement: keyPair(1) }));
    await expectRefused(from, 'NOT_AUTHENTIC');
  });

  it('with a signature of another key', async () => {
    const from = await pushingMeter(1, { generalSigning: true });
    push(from, signed(from, ciphered(from, 1), keyPair(1)));
    await expectRefused(from, 'NOT_AUTHENTIC');
  });

  it('when only its signature protects it', async () => {
    const from = await pushingMeter(1, { generalSigning: true });
    push(from, signed(from, plainPush(from, 1)));
    await expectRefused(from, 'BAD_VALUE');
  });

  it('when the meter has no certificate', async () => {
    const from = await pushingMeter(1, { generalSigning: true, isCertified: false });
    push(from, signed(from, ciphered(from, 1)));
    await expectRefused(from, 'CERTIFICATE_MISSING');
  });

  it('when its certificate has expired', async () => {
    const from = await pushingMeter(1, { generalSigning: true });
    await query("update certificate set valid_to = now() - interval '1 minute' where system_title = $1", [
      Buffer.from(from.meter.systemTitle),
    ]);
    await ask('PUT', `/asset/meter/${from.id}/keys`, {});
    push(from, signed(from, ciphered(from, 1)));
    await expectRefused(from, 'CERTIFICATE_EXPIRED');
  });

  it('when the type of the meter uses no certificates', async () => {
    const from = await pushingMeter(1);
    push(from, agreed(from, 1, 'static'));
    await expectRefused(from, 'CERTIFICATE_MISSING');
  });
});

it('a replayed push is neither stored nor confirmed again', async () => {
  const from = await pushingMeter(1, { generalSigning: true });
  await learnLayout(from);
  const apdu = signed(from, ciphered(from, 1));
  push(from, apdu);
  await expectStored(from, 1);
  from.confirmed.clear();
  push(from, apdu);
  push(from, signed(from, ciphered(from, 2)));
  await expectStored(from, 2);
  expect([...from.confirmed]).toEqual([2]);
});
