import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { newDcu } from '@hes/contract/asset/dcu.ts';
import { newDcuType } from '@hes/contract/asset/dcu-type.ts';
import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { newMeter } from '@hes/contract/asset/meter.ts';
import { newMeterType, PERIODS_S, type MeterQuirk } from '@hes/contract/asset/meter-type.ts';
import { refusalOf, SECRETS_OF, SPOKEN, SPOKEN_SENTENCES, type Spoken } from '@hes/contract/asset/spoken.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { AuthenticationType, DcuProtocol } from '@hes/contract/states/device.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { CONTROL_MODES, modeAllows, relayOperation } from '@hes/contract/action/relay-rules.ts';
import { ruleBySentence } from '@hes/contract/text/sentences.ts';
import type { LinkResult } from '@hes/contract/orders/results.ts';
import type { TraceFrame } from '@hes/contract/trace/trace.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { newFirmware } from '@hes/contract/upgrade/firmware.ts';
import { associationSnObject } from '@hes/dlms/server/association-sn-object.ts';
import { ImageStore, imageTransferObject } from '@hes/dlms/server/image-transfer.ts';
import { actionRequest } from '@hes/dlms/xdlms/action.ts';
import { makeImage } from '@hes/simulator/devices/firmware-image.ts';
import { startSupervisor } from '../../src/features/upgrade/job/supervisor.ts';
import { objectKey, type ClientRule } from '@hes/dlms/association/server-options.ts';
import { aare } from '@hes/dlms/acse/aare.ts';
import { aarq } from '@hes/dlms/acse/aarq.ts';
import { assignShortNames } from '@hes/dlms/catalogue/short-names.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { logicalName, octetString } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { SecuritySuite } from '@hes/dlms/security/cipher.ts';
import { usesTitles } from '@hes/dlms/security/hls.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import type { Conformance } from '@hes/dlms/xdlms/conformance.ts';
import { initiateResponse } from '@hes/dlms/xdlms/initiate.ts';
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField, type Field } from '../../src/field/start-field.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { unpackFrames } from '../../src/storage/frames.ts';
import { SwitchLedger } from '../../src/platform/switch-ledger.ts';
import { keyPair } from '../authority.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';
import { smallTown } from '../town.ts';
import { certifyHeadEnd, type CertifiedHeadEnd } from './certified.ts';
import { HURRY } from './hurry.ts';
import { hdlcWire, register, TinyDcu, tinyMeter, truth, type TinyMeter } from './tiny-dcu.ts';

/*
 * Every selectable value of the forms of devices and device types is either exercised with a simulated device, or not offered and refused
 * with a reason. The test fails for a new value of a form that is neither.
 */

const WITHIN = { timeout: 10_000 };
const PASSWORD = 'Walk-The-Forms-8';
const KEY_32_OCTETS = '7A11C3E5908B64D2F1370E9AC58D42B66E0F93A1D7285BC4138E6AF0925DC7B1';
/** Tags of APDUs that open and release an association. */
const ACSE: ReadonlySet<number> = new Set([APDU_TAGS.aarq, APDU_TAGS.aare, APDU_TAGS.rlrq, APDU_TAGS.rlre]);
/** Tag of a plain GET-REQUEST. */
const GET_REQUEST = 0xc0;
/** Method of the image transfer class that takes one block. */
const IMAGE_BLOCK = 2;
const LOGICAL_NAME = 1;
const LDN = obis('0.0.42.0.0.255');
const PROFILE_CLASS = 7;
const PROFILES = { lpa: obis('1.0.99.1.0.255'), lpb: obis('1.0.99.2.0.255') };
/** Client rule of a device per mechanism; the device refuses other clients. */
const CLIENT_RULES: Partial<Record<AuthenticationType, ClientRule>> = {
  none: { mechanism: 'none', ciphered: false },
  low: { mechanism: 'low', ciphered: false, password: Buffer.from(PASSWORD) },
  high: { mechanism: 'hls', ciphered: false, password: Buffer.from(PASSWORD) },
  hls_md5: { mechanism: 'hlsMd5', ciphered: false, password: Buffer.from(PASSWORD) },
  hls_sha1: { mechanism: 'hlsSha1', ciphered: false, password: Buffer.from(PASSWORD) },
  hls_gmac: { mechanism: 'hlsGmac', ciphered: true },
  hls_sha256: { mechanism: 'hlsSha256', ciphered: false, password: Buffer.from(PASSWORD) },
  hls_ecdsa: { mechanism: 'hlsEcdsa', ciphered: true },
};
const SPOKEN_AUTHENTICATIONS = Object.keys(CLIENT_RULES) as AuthenticationType[]; // as: keys of the table

let app: TestApp;
let admin: TestUser;
let field: Field;
let dispatcher: Dispatcher;
let headEnd: CertifiedHeadEnd;
const ids = new Map<string, string>();
const dialled: TinyDcu[] = [];
let number = 0;

beforeAll(async () => {
  app = await testApp();
  await app.ctx.pool.query('update collect_plan set enabled = false');
  await importCommissioning(app.ctx, smallTown());
  // A DCU without keys is admitted by the addresses of its type only.
  await app.ctx.pool.query("update dcu_type set allowed_addresses = '{127.0.0.1}'");
  admin = await app.addUser({ roles: ['ADMIN'] });
  for (const table of ['dcuType', 'meterType', 'transformer', 'supplier'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const row of await app.ctx.db.selectFrom('southboundProfile').select(['id', 'key']).execute()) ids.set(row.key, row.id);
  headEnd = await certifyHeadEnd(app, admin, ['digitalSignature', 'keyAgreement']);
  field = await startField(app.ctx, {
    features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
    dlmsPort: 0,
    host: '127.0.0.1',
    dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
    timeoutLimits: { longestMs: 2_000 },
  });
  dispatcher = new Dispatcher(app.ctx, field, HURRY);
  await dispatcher.start();
});
afterEach(() => {
  for (const dcu of dialled.splice(0)) dcu.close();
});
afterAll(async () => {
  await dispatcher.stop();
  await field.stop();
  await app.close();
});

const id = (name: string): string => ids.get(name) ?? '';
const nextSn = (prefix: string): string => `${prefix}${String(++number).padStart(6, '0')}`;

async function ask(method: NonNullable<InjectOptions['method']>, path: string, payload?: unknown, language = 'en') {
  const headers = { 'accept-language': language };
  const answer = await app.call(admin, {
    method,
    url: `/api${path}`,
    headers,
    ...(payload === undefined ? {} : { payload: payload as object }),
  });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}
async function saved(path: string, payload: object) {
  const { status, body } = await ask('POST', path, payload);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}
const upload = (list: string, lines: string[], language = 'en') =>
  app.call(admin, {
    method: 'POST',
    url: `/api/import/${list}?name=list.csv`,
    headers: { 'content-type': 'application/octet-stream', 'accept-language': language },
    payload: lines.join('\r\n'),
  });

type Values = Record<string, unknown>;
const NEW = {
  dcu: (values: Values) => ({
    sn: nextSn('WALK'),
    dcuTypeId: id('DCU1'),
    transformerId: id('TN'),
    protocol: 'dlms_wrapper',
    communicateType: 'g4',
    connectionType: 'dial_in',
    authenticationType: 'none',
    dataChannel: 'plc',
    ...values,
  }),
  dcuType: (values: Values) => ({
    code: nextSn('DT'),
    name: nextSn('DCU type '),
    allowedAddresses: ['127.0.0.1'],
    supplierId: id('ACME'),
    profileId: id('hes-dcu-1'),
    ...values,
  }),
  meter: (values: Values) => ({ sn: nextSn('M'), meterTypeId: id('ONE'), communicationMode: 'plc', ...values }),
  meterType: (values: Values) => ({
    code: nextSn('MT'),
    name: nextSn('Meter type '),
    supplierId: id('ACME'),
    profileId: id('hes-meter-1p2w'),
    ...values,
  }),
};
type Form = keyof typeof NEW;
const PATHS: Record<Form, string> = {
  dcu: '/asset/dcu',
  dcuType: '/asset/dcu-type',
  meter: '/asset/meter',
  meterType: '/asset/meter-type',
};
const SCHEMAS: Record<Form, z.ZodType> = { dcu: newDcu, dcuType: newDcuType, meter: newMeter, meterType: newMeterType };

/** Secrets in the format of a form, for the simulated device. */
function secretsFor(authenticationType: AuthenticationType, { keys }: TinyMeter): Values {
  const all: Partial<Record<keyof StoredKeys, string>> = {
    ek: Buffer.from(keys.ek).toString('hex'),
    ak: Buffer.from(keys.ak).toString('hex'),
    password: PASSWORD,
  };
  return Object.fromEntries(SECRETS_OF[authenticationType].map((secret) => [secret, all[secret]]));
}

async function ended(taskId: string): Promise<TaskItemRow> {
  await vi.waitFor(async () => expect((await ask('GET', `/task/${taskId}`)).body.finishedAt).not.toBeNull(), {
    timeout: 10_000,
    interval: 20,
  });
  return (await ask('GET', `/task/${taskId}/items`)).body.items[0];
}

/** Suites in which a device signs. */
const SIGNED_SUITES: Partial<Record<SecuritySuite, 1 | 2>> = { 1: 1, 2: 2 };
/** Suite of a device unless a test chooses another one. */
const usualSuite = (authenticationType: AuthenticationType): SecuritySuite => (authenticationType === 'hls_ecdsa' ? 1 : 0);

interface DeviceSecurity {
  suite?: SecuritySuite;
  /** Whether services are ciphered; by default as usual after this authentication. */
  ciphered?: boolean;
  /** Replaces the usual rule for clients. */
  rule?: ClientRule;
  /** Fields and framing of its DCU. */
  dcu?: Values;
  wire?: Wire;
}

/** The system title that the form of a device needs to find its certificate. */
const titleFor = (authenticationType: AuthenticationType, { systemTitle }: TinyMeter): Values =>
  authenticationType === 'hls_ecdsa' ? { systemTitle: toHex(systemTitle) } : {};

/** A simulated device with a logical device name, the only identification without ciphering. */
async function deviceOf(
  sn: string,
  authenticationType: AuthenticationType,
  { suite = usualSuite(authenticationType), ciphered = CLIENT_RULES[authenticationType]?.ciphered ?? false, rule }: DeviceSecurity = {},
): Promise<TinyMeter> {
  const signed = authenticationType === 'hls_ecdsa' ? SIGNED_SUITES[suite] : undefined;
  const publicKey = signed === undefined ? {} : { publicKey: headEnd.publicKeyOf(signed) };
  const usual = { mechanism: 'none' as const, ...CLIENT_RULES[authenticationType], ciphered, ...publicKey };
  const keys = signed === undefined ? undefined : keyPair(signed);
  const own = tinyMeter(sn, ++number, () => Date.now(), rule ?? usual, { suite, ...(keys ? { privateKey: keys.privateKey } : {}) });
  if (keys && signed) await headEnd.certify(own.systemTitle, signed, { keys });
  const read = (attribute: number) => (attribute === 2 ? encode(octetString, Buffer.from(sn)) : ('objectUndefined' as const));
  own.objects.set(objectKey(1, LDN), { classId: 1, version: 0, instance: LDN, read });
  return own;
}

async function waitOnline(dcuId: string): Promise<void> {
  await vi.waitFor(() => expect(field.reach.isOnline(dcuId)).toBe(true), { timeout: 5_000, interval: 10 });
}

type Wire = ReturnType<typeof hdlcWire> | undefined;

/** Tests the link of a saved DCU with dial-in; returns the negotiated properties. */
async function linkOf(dcuId: string, own: TinyMeter, wire?: Wire): Promise<LinkResult | undefined> {
  dialled.push(new TinyDcu(field.port, own.sn, [], own, own.systemTitle, true, wire));
  await waitOnline(dcuId);
  const item = await ended((await ask('POST', `/asset/dcu/${dcuId}/test`)).body.taskId);
  expect(item, item.reasonText ?? '').toMatchObject({ state: 'read_success', reasonCode: null });
  return item.result?.link;
}

/** Saves a DCU with the form, and tests its link. */
async function linkOfDcu(values: Values, authenticationType: AuthenticationType = 'none') {
  const fields = NEW.dcu({ authenticationType, ...values });
  const own = await deviceOf(fields.sn, authenticationType);
  const title = titleFor(authenticationType, own);
  const row = await saved('/asset/dcu', { ...fields, ...title, keys: secretsFor(authenticationType, own) });
  expect(row).toMatchObject(values);
  return { row, own, link: await linkOf(row.id, own) };
}

/** Saves a meter with the form and binds it to a connected DCU. */
async function boundMeter(values: Values, authenticationType: AuthenticationType = 'none', security: DeviceSecurity = {}) {
  const fields = NEW.meter({ meterTypeId: await typeOf(authenticationType), ...values });
  const meter = await deviceOf(fields.sn, authenticationType, security);
  return bindMeter({ ...fields, ...titleFor(authenticationType, meter) }, authenticationType, meter, security);
}

/** Saves a simulated meter with the form and binds it to a connected DCU. */
async function bindMeter(
  values: Values,
  authenticationType: AuthenticationType,
  meter: TinyMeter,
  { dcu: dcuFields = {}, wire }: Pick<DeviceSecurity, 'dcu' | 'wire'> = {},
) {
  const fields = NEW.meter({ systemTitle: toHex(meter.systemTitle), ...values, sn: meter.sn });
  const row = await saved('/asset/meter', { ...fields, keys: secretsFor(authenticationType, meter) });
  expect(row).toMatchObject(values);
  const dcu = await saved('/asset/dcu', NEW.dcu(dcuFields));
  await sql`update meter set dcu_id = ${dcu.id}, transformer_id = ${id('TN')}, inventory_state = 'active' where id = ${row.id}`.execute(
    app.ctx.db,
  );
  dialled.push(new TinyDcu(field.port, dcu.sn, [meter], undefined, undefined, true, wire));
  await waitOnline(dcu.id);
  return { row, meter };
}

/** A meter type with this authentication; types without further values are shared. */
async function typeOf(authenticationType: AuthenticationType): Promise<string> {
  const known = ids.get(`type/${authenticationType}`);
  if (known !== undefined) return known;
  const { id: typeId } = await saved(
    '/asset/meter-type',
    NEW.meterType({ authenticationType, securitySuite: usualSuite(authenticationType) }),
  );
  ids.set(`type/${authenticationType}`, typeId);
  return typeId;
}

async function readRegister(meterId: string): Promise<TaskItemRow> {
  return ended((await ask('POST', '/action/read/on-demand', { meterIds: [meterId], kind: 'registers', items: ['E_PLUS'] })).body.taskId);
}
async function expectRead(meterId: string): Promise<void> {
  const before = Date.now();
  const item = await readRegister(meterId);
  expect(item).toMatchObject({ state: 'read_success', reasonCode: null });
  const raw = Number(item.result?.values?.[0]?.raw);
  expect(raw).toBeGreaterThanOrEqual(truth.ePlus(before));
  expect(raw).toBeLessThanOrEqual(truth.ePlus(Date.now()));
}

// Each exercise saves a device with the value through the API and communicates with its simulation.

type Exercise = (field: string, value: string) => Promise<void>;

const dcuIsReached: Exercise = async (name, value) => void (await linkOfDcu({ [name]: value }));
const meterIsRead: Exercise = async (name, value) => expectRead((await boundMeter({ [name]: value })).row.id);
/** A meter has the wiring of its type unless its own form overrides it. */
const meterDiffersFromType: Exercise = async (name, value) => {
  const { row } = await boundMeter({ [name]: value });
  expect((await ask('GET', `/asset/meter/${row.id}/asset`)).body.own).toMatchObject({ [name]: value });
  await expectRead(row.id);
};
/** Saves a meter type with the value and reads a meter of it; `isList`: the field is a list. */
const meterOfTypeIsRead =
  (isList = false): Exercise =>
  async (name, value) => {
    const values = { [name]: isList ? [value] : value, authenticationType: 'none' };
    const type = await saved('/asset/meter-type', NEW.meterType(values));
    expect(type).toMatchObject(values);
    await expectRead((await boundMeter({ meterTypeId: type.id })).row.id);
  };

const DCU_LIST = 'SN,Type code,Transformer code,Connection type,Communicate type,Data channel,System title';
/** An imported DCU gets the values of its type. */
const importedDcuIsReached: Exercise = async (name, value) => {
  const authenticationType = (name === 'authenticationType' ? value : 'none') as AuthenticationType; // as: the walk passes values of the field
  const type = await saved('/asset/dcu-type', NEW.dcuType({ authenticationType, [name]: value }));
  const sn = nextSn('WALK');
  const own = await deviceOf(sn, authenticationType);
  const { systemTitle = '' } = titleFor(authenticationType, own);
  const preview = (await upload('dcu', [DCU_LIST, `${sn},${type.code},TN,dial_in,g4,plc,${String(systemTitle)}`])).json();
  await ask('POST', `/import/dcu/${preview.id}/commit`, {});
  const [row] = (await ask('GET', `/asset/dcu?search=${sn}`)).body.items;
  expect(row).toMatchObject({ [name]: value });
  await ask('PUT', `/asset/dcu/${row.id}/keys`, secretsFor(authenticationType, own));
  const wire = value === 'dlms_hdlc' ? hdlcWire(PHYSICAL_ADDRESS) : undefined;
  expect(await linkOf(row.id, own, wire)).toMatchObject({ authenticationType });
};

/** The form proposes the channel of the type, and a DCU with it is reached. */
const proposedChannelIsReached: Exercise = async (name, value) => {
  const type = await saved('/asset/dcu-type', NEW.dcuType({ [name]: [value] }));
  const { types } = (await ask('GET', '/asset/dcu/option')).body;
  const { dataChannel } = types.find((known: { id: string }) => known.id === type.id);
  expect(dataChannel).toBe(value);
  await linkOfDcu({ dcuTypeId: type.id, dataChannel });
};

const dcuAuthenticates: Exercise = async (_name, value) => {
  const authenticationType = value as AuthenticationType; // as: the walk passes values of the field
  const { link, row, own } = await linkOfDcu({}, authenticationType);
  expect(row.hasKeys).toBe(true);
  const suite = CLIENT_RULES[authenticationType]?.ciphered === true ? usualSuite(authenticationType) : null;
  const systemTitle = usesTitles(CLIENT_RULES[authenticationType]?.mechanism ?? 'none') ? toHex(own.systemTitle) : null;
  expect(link).toMatchObject({ authenticationType, suite, systemTitle, maxPduSize: 1024 });
};
const meterAuthenticates: Exercise = async (_name, value) => {
  const authenticationType = value as AuthenticationType; // as: the walk passes values of the field
  const { row, meter } = await boundMeter({}, authenticationType);
  await expectRead(row.id);
  expect(meter.opened).toBe(1);
  const other = { ek: 'A1B2C3D4E5F60718293A4B5C6D7E8F90', ak: '5E9D1C7B3A8F604221D0C9B8A7F6E5D4', password: 'Another-Word-9' };
  const wrong = Object.fromEntries(SECRETS_OF[authenticationType].map((secret) => [secret, other[secret as keyof typeof other]]));
  const none = Object.fromEntries(SECRETS_OF[authenticationType].map((secret) => [secret, null]));
  if (authenticationType === 'none') return;
  await ask('PUT', `/asset/meter/${row.id}/keys`, wrong);
  expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail', reasonCode: 'AUTH_FAILED' });
  await ask('PUT', `/asset/meter/${row.id}/keys`, none);
  expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail', reasonCode: 'KEYS_MISSING' });
};

/** A meter of a type with this suite is read, the plain text of its frames is shown, and keys of another suite are refused. */
const suiteIsSpoken: Exercise = async (_name, value) => {
  const suite = Number(value) as SecuritySuite; // as: the walk passes values of the field
  const type = await saved('/asset/meter-type', NEW.meterType({ authenticationType: 'hls_gmac', securitySuite: suite }));
  const { row } = await boundMeter({ meterTypeId: type.id }, 'hls_gmac', { suite });
  await expectRead(row.id);
  // Traces are written a moment after the read.
  await vi.waitFor(async () => {
    const traces = await app.ctx.pool.query<{ frames: Buffer }>('select frames from trace where meter_id = $1', [row.id]);
    const frames = traces.rows.flatMap((trace) => unpackFrames(trace.frames, app.ctx.secrets));
    expect(frames.some(({ plain }) => plain?.[0] === GET_REQUEST)).toBe(true);
  });
  const other = KEY_32_OCTETS.slice(0, suite === 2 ? 32 : 64);
  const { body } = await ask('PUT', `/asset/meter/${row.id}/keys`, { ek: other, ak: [...other].toReversed().join('') }, 'zh-CN');
  const message = (suite === 2 ? RULES.keyOf256Bits : RULES.keyOf128Bits).zh;
  expect(body.issues).toEqual(['ek', 'ak'].map((name) => ({ field: name, message })));
};

/** Services of a meter whose type says so are ciphered after a password, and plain after GMAC. */
const cipheringIsKept =
  (authenticationType: AuthenticationType, ciphered: boolean): Exercise =>
  async (name, value) => {
    const type = await saved('/asset/meter-type', NEW.meterType({ authenticationType, [name]: value }));
    const { row, meter } = await boundMeter({ meterTypeId: type.id }, authenticationType, { ciphered });
    const { ek, ak } = meter.keys;
    await ask('PUT', `/asset/meter/${row.id}/keys`, { ek: toHex(ek), ak: toHex(ak) });
    await expectRead(row.id);
    await ask('PUT', `/asset/meter/${row.id}/keys`, { ek: null, ak: null });
    expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail', reasonCode: 'KEYS_MISSING' });
  };

interface ProtectedMeter {
  meter: TinyMeter;
  /** First octets of the service APDUs that the meter received and sent. */
  tags: Set<number>;
}

/** A meter with certificates for signatures and key agreement, which answers in the protection of a request. */
async function protectedMeter(kind: 'one_pass' | 'static', rule: ClientRule): Promise<ProtectedMeter> {
  const [signing, agreement, tags] = [keyPair(1), keyPair(1), new Set<number>()];
  const peer = { peerSigningKey: headEnd.publicKeyOf(1), peerAgreementKey: headEnd.publicKeyOf(1, 'keyAgreement') };
  const { privateKey: agreementKey } = agreement;
  const choice =
    kind === 'one_pass' ? { kind: 'onePass' as const, signingKey: signing.privateKey } : { kind: 'static' as const, agreementKey };
  const meter = tinyMeter(nextSn('M'), ++number, () => Date.now(), rule, {
    suite: 1,
    privateKey: signing.privateKey,
    generalCiphering: { agreementKey, ...peer, choice: { ...choice, peerAgreementKey: peer.peerAgreementKey } },
    onFrame: (_, [tag = 0]) => !ACSE.has(tag) && tags.add(tag),
  });
  await headEnd.certify(meter.systemTitle, 1, { keys: signing });
  await headEnd.certify(meter.systemTitle, 1, { keys: agreement, use: 'keyAgreement' });
  return { meter, tags };
}

/** Services of a meter are ciphered with keys that both sides agree on, and its certificates are not deleted meanwhile. */
const keysAreAgreed: Exercise = async (name, value) => {
  const kind = value as 'one_pass' | 'static'; // as: the walk passes values of the field
  const { meter, tags } = await protectedMeter(kind, { mechanism: 'hlsGmac', ciphered: true });
  const type = await saved('/asset/meter-type', NEW.meterType({ [name]: value, securitySuite: 1 }));
  const { row } = await bindMeter({ meterTypeId: type.id }, 'hls_gmac', meter);
  await expectRead(row.id);
  expect(tags).toEqual(new Set([APDU_TAGS.generalCiphering]));
  await forgetCertificates(meter, 'key_agreement');
  expect(await readRegister(row.id)).toMatchObject({ reasonCode: 'CERTIFICATE_MISSING', reasonText: 'key agreement' });
};

/** Deletes the certificate of a meter in the database; the API refuses it, because the type of the meter needs it. */
async function forgetCertificates(meter: TinyMeter, usage: string): Promise<void> {
  const { items } = (await ask('GET', `/asset/certificate?search=${toHex(meter.systemTitle)}&usage=${usage}`)).body;
  expect(items).toHaveLength(1);
  expect((await ask('POST', `/asset/certificate/${items[0].id}/delete`, { reason: 'mistake' })).body.code).toBe('IN_USE');
  await app.ctx.db.deleteFrom('certificate').where('id', '=', items[0].id).execute();
  await ask('PUT', `/asset/meter/${items[0].deviceId}/keys`, {});
}

const PHYSICAL_ADDRESS = 4711;

/**
 * A DCU with HDLC is reached when it dials in and when it is dialled, under its physical address only; a profile of a meter behind it comes
 * in segments, and the trace explains the frames.
 */
const hdlcIsSpoken: Exercise = async (name, value) => {
  const { row, meter } = await boundMeter({}, 'low', { wire: hdlcWire(PHYSICAL_ADDRESS), dcu: { [name]: value } });
  await expectRead(row.id);
  const order = { meterIds: [row.id], kind: 'lpa', from: '2026-05-01', to: '2026-05-01' };
  const item = await ended((await ask('POST', '/action/read/on-demand', order)).body.taskId);
  expect(item, item.reasonText ?? '').toMatchObject({ state: 'read_success' });
  expect(meter.opened).toBeGreaterThan(0);
  const explained = await vi.waitFor(async () => {
    const { status, body } = await ask('GET', `/trace/${item.traceId}`);
    expect(status).toBe(200);
    return body.frames as TraceFrame[]; // as: the body of the route
  });
  expect(explained.map(({ error }) => error)).toEqual(explained.map(() => null));
  const fields = explained.flatMap(({ wire }) => wire.map((node) => node.name));
  for (const field of ['hdlc', 'llc', 'gateway', 'getRequest', 'getResponse']) expect(fields).toContain(field);
  const segments = Math.max(...explained.map(({ wire }) => wire.filter((node) => node.name === 'hdlc').length));
  expect(segments).toBeGreaterThan(8);
  expect(JSON.stringify(explained)).not.toContain(Buffer.from(PASSWORD).toString('hex').toUpperCase());
  expect((await dialHdlc({ [name]: value, physicalAddress: PHYSICAL_ADDRESS })).item).toMatchObject({ state: 'read_success' });
  expect((await dialHdlc({ [name]: value, physicalAddress: 1 })).item).toMatchObject({ state: 'read_fail' });
  expect((await dialHdlc({ [name]: 'dlms_wrapper' })).item).toMatchObject({ state: 'read_fail' });
};

/** Tests the link of a DCU that is dialled and answers in HDLC under its physical address. */
async function dialHdlc(values: Values): Promise<{ item: TaskItemRow }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: a TCP address
  const fields = NEW.dcu({ connectionType: 'dial_out', host: '127.0.0.1', port, ...values });
  const own = await deviceOf(fields.sn, 'none');
  server.on('connection', (socket: Socket) =>
    dialled.push(new TinyDcu(socket, fields.sn, [], own, undefined, true, hdlcWire(PHYSICAL_ADDRESS))),
  );
  const row = await saved('/asset/dcu', fields);
  const item = await ended((await ask('POST', `/asset/dcu/${row.id}/test`)).body.taskId);
  server.close();
  return { item };
}

const dcuIsDialled: Exercise = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: a TCP address
  const fields = NEW.dcu({ connectionType: 'dial_out', host: '127.0.0.1', port });
  const own = await deviceOf(fields.sn, 'none');
  server.on('connection', (socket: Socket) => dialled.push(new TinyDcu(socket, fields.sn, [], own)));
  const row = await saved('/asset/dcu', fields);
  const item = await ended((await ask('POST', `/asset/dcu/${row.id}/test`)).body.taskId);
  expect(item).toMatchObject({ state: 'read_success', result: { link: { authenticationType: 'none' } } });
  server.close();
};

/** A direct meter of a type without keys is admitted from the address that its type allows, or dialled, and read in its framing. */
const directMeterIsRead =
  (connectionType: 'dial_in' | 'dial_out', protocol: DcuProtocol = 'dlms_wrapper'): Exercise =>
  async () => {
    const communicationMode = 'direct';
    const type = { authenticationType: 'none', communicationModes: [communicationMode], allowedAddresses: ['127.0.0.1'] };
    const { id: meterTypeId } = await saved('/asset/meter-type', NEW.meterType(type));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: a TCP address
    const fields = NEW.meter({
      meterTypeId,
      communicationMode,
      connectionType,
      host: connectionType === 'dial_out' ? '127.0.0.1' : null,
      port,
      protocol,
      physicalAddress: protocol === 'dlms_hdlc' ? PHYSICAL_ADDRESS : null,
    });
    const own = await deviceOf(fields.sn, 'none');
    const wire = protocol === 'dlms_hdlc' ? hdlcWire(PHYSICAL_ADDRESS) : undefined;
    const dial = (at: number | Socket) => dialled.push(new TinyDcu(at, fields.sn, [], own, undefined, true, wire));
    server.on('connection', dial);
    const row = await saved('/asset/meter', fields);
    expect(row).toMatchObject({ communicationMode, connection: { connectionType, protocol } });
    if (connectionType === 'dial_in') dial(field.port);
    await vi.waitFor(
      async () => expect((await ask('GET', `/asset/meter/${row.id}/asset`)).body.connection.onlineStatus).toBe('online'),
      WITHIN,
    );
    await expectRead(row.id);
    server.close();
  };

/** HDLC of a direct meter, in both directions. */
const hdlcOfMeterIsSpoken: Exercise = async (name, value) => {
  await directMeterIsRead('dial_out', 'dlms_hdlc')(name, value);
  await directMeterIsRead('dial_in', 'dlms_hdlc')(name, value);
};

/** The readings of a meter without capture period are stored with the period of its type. */
const periodOfTypeIsStored =
  (profile: 'lpa' | 'lpb'): Exercise =>
  async (name, value) => {
    const type = await saved('/asset/meter-type', NEW.meterType({ [name]: Number(value), authenticationType: 'none' }));
    const { row, meter } = await boundMeter({ meterTypeId: type.id });
    const own = meter.objects.get(objectKey(PROFILE_CLASS, PROFILES.lpa));
    if (own) meter.objects.set(objectKey(PROFILE_CLASS, PROFILES[profile]), { ...own, instance: PROFILES[profile] });
    meter.hasPeriod = false;
    meter.captureMs = Number(value) * 1000;
    const order = { meterIds: [row.id], kind: profile, from: '2026-05-01', to: '2026-05-01' };
    expect(await ended((await ask('POST', '/action/read/on-demand', order)).body.taskId)).toMatchObject({ state: 'read_success' });
    const stored = await sql<{
      period: number;
    }>`select distinct period_s as period from reading_profile where meter_id = ${row.id} and profile = ${profile}`.execute(app.ctx.db);
    expect(stored.rows).toEqual([{ period: Number(value) }]);
  };

/** The relay mode of the type decides which orders are sent until the relay itself was read. */
const modeOfTypeDecides: Exercise = async (name, value) => {
  const type = await saved('/asset/meter-type', NEW.meterType({ hasRelay: true, [name]: Number(value), authenticationType: 'none' }));
  const { row } = await boundMeter({ meterTypeId: type.id });
  for (const operation of relayOperation.options) {
    const { body } = await ask('POST', '/action/relay/preview', { meterIds: [row.id], operation });
    const whys = body.excluded.map(({ reason }: { reason: string }) => reason);
    expect([operation, whys]).toEqual([operation, modeAllows(Number(value), operation) ? [] : ['mode']]);
  }
};

/** Gives a simulated meter short names; a client that references by logical names is refused. */
function speakShortNames(meter: TinyMeter): void {
  for (const object of meter.objects.values()) {
    const { read, instance } = object;
    object.read = (id, ...more) => (id === LOGICAL_NAME ? encode(logicalName, instance) : read(id, ...more));
  }
  const association = associationSnObject(() => meter.shortNames);
  meter.objects.set(objectKey(association.classId, association.instance), association);
  meter.shortNames = assignShortNames([...meter.objects.values()]);
}

/** A meter with short names only is read, also when its objects have other base names than the stored ones, and only by a type with them. */
const shortNamesAreSpoken: Exercise = async (name, value) => {
  for (const authenticationType of ['low', 'hls_gmac'] as const) {
    const rule = { mechanism: 'none' as const, ciphered: false, ...CLIENT_RULES[authenticationType], shortNames: true };
    const [short, logical] = await Promise.all(
      [value, 'logical'].map((addressing) => saved('/asset/meter-type', NEW.meterType({ authenticationType, [name]: addressing }))),
    );
    const { row, meter } = await boundMeter({ meterTypeId: short.id }, authenticationType, { rule });
    speakShortNames(meter);
    await expectRead(row.id);
    const order = { meterIds: [row.id], kind: 'lpa', from: '2026-05-01', to: '2026-05-01' };
    expect(await ended((await ask('POST', '/action/read/on-demand', order)).body.taskId)).toMatchObject({ state: 'read_success' });
    // A new firmware: the register has the base name that another object had.
    meter.shortNames = assignShortNames([...meter.objects.values()].toReversed());
    await expectRead(row.id);
    await ask('PUT', '/asset/meter/type', { ids: [row.id], meterTypeId: logical.id });
    expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail', reasonCode: 'ASSOC_REFUSED' });
  }
};

/** Null: the block size of an image comes from firmware and device, see the tests of upgrades. */
/** An EXCEPTION-RESPONSE: the service is not supported. */
const NOT_SUPPORTED = Uint8Array.of(APDU_TAGS.exceptionResponse, 2, 2);
const WITH_LIST = 3;
const WITH_DATABLOCK = 2;
const OTHER_REASON = 250;

/** Behaviour of a simulated meter by quirk, and the order whose requests meet it. */
const PECULIAR: Record<MeterQuirk, { behave(meter: TinyMeter): void; order: object; reason: string }> = {
  single_attribute_only: {
    // The meter grants lists and then refuses them.
    behave: (meter) => {
      meter.peculiar = ([tag, kind]) => (tag === GET_REQUEST && kind === WITH_LIST ? NOT_SUPPORTED : undefined);
    },
    order: { kind: 'registers', items: ['E_PLUS', 'E_MINUS'] },
    reason: 'ACCESS_DENIED',
  },
  no_block_get: {
    // The meter grants blocks, and returns an error in place of the first one.
    behave: (meter) => {
      meter.peculiar = (_request, usual) => {
        const answer = usual();
        const [tag, kind, invoke = 0] = answer ?? [];
        return tag === APDU_TAGS.getResponse && kind === WITH_DATABLOCK ? Uint8Array.of(tag, 1, invoke, 1, OTHER_REASON) : answer;
      };
    },
    order: { kind: 'lpa', from: '2026-05-01', to: '2026-05-02' },
    reason: 'TEMPORARY_FAILURE',
  },
  range_without_deviation: {
    behave: (meter) => {
      meter.comparesAt = new Zone(app.ctx.settings.timeZone).deviationMinutes(Date.now());
    },
    order: { kind: 'lpa', from: '2026-05-01', to: '2026-05-02' },
    reason: 'TEMPORARY_FAILURE',
  },
  ldn_short: {
    // The name has the last six characters of the serial number after the code of the manufacturer.
    behave: (meter) => {
      const name = encode(octetString, Buffer.from(`TIN${meter.sn.slice(-6)}`));
      meter.objects.set(objectKey(1, LDN), { classId: 1, version: 0, instance: LDN, read: () => name });
    },
    order: { kind: 'registers', items: ['E_PLUS'] },
    reason: 'IDENTITY_MISMATCH',
  },
};

/** A meter with the quirk is read when its type has it, and not otherwise. */
const quirkIsRespected: Exercise = async (name, value) => {
  const { behave, order, reason } = PECULIAR[value as MeterQuirk]; // as: the walk passes values of the field
  const read = async (quirks: string[]) => {
    const type = await saved('/asset/meter-type', NEW.meterType({ [name]: quirks, authenticationType: 'none' }));
    const { row, meter } = await boundMeter({ meterTypeId: type.id });
    behave(meter);
    const item = await ended((await ask('POST', '/action/read/on-demand', { meterIds: [row.id], ...order })).body.taskId);
    return { item, id: row.id };
  };
  const honest = await read([value]);
  expect(honest.item, honest.item.reasonText ?? '').toMatchObject({ state: 'read_success', reasonCode: null });
  if ('from' in order) {
    const { rows } = await sql<{ slots: number }>`select count(*)::int as slots
      from reading_profile p, generate_subscripts(p.status, 1) k where meter_id = ${honest.id} and p.status[k] is not null`.execute(
      app.ctx.db,
    );
    expect(rows).toEqual([{ slots: 2 * 96 }]);
  }
  expect((await read([])).item).toMatchObject({ state: 'read_fail', reasonCode: reason });
};

/** Services that the context of the simulated pre-established association has. */
const ASSUMED: Conformance[] = ['get', 'set', 'action', 'selectiveAccess', 'multipleReferences', 'blockTransferGet'];

/** A meter that refuses association requests is read by a type with this association, with and without ciphering. */
const preEstablishedIsUsed: Exercise = async (name, value) => {
  let clientTitle: Uint8Array | undefined;
  const heard = await boundMeter({}, 'hls_gmac');
  heard.meter.peculiar = (request) => {
    if (request[0] === APDU_TAGS.aarq) clientTitle = Uint8Array.from(decode(aarq, request).callingApTitle ?? []);
    return undefined;
  };
  await expectRead(heard.row.id);
  const read = async (association: string, isCiphered: boolean, hasTitle = isCiphered) => {
    const ciphering = isCiphered ? 'always' : 'by_mechanism';
    const type = await saved('/asset/meter-type', NEW.meterType({ [name]: association, ciphering, authenticationType: 'none' }));
    const preEstablished = { conformance: ASSUMED, maxPduSize: 1024 };
    const rule: ClientRule = {
      mechanism: 'none',
      ciphered: isCiphered,
      preEstablished,
      ...(clientTitle === undefined ? {} : { clientTitle }),
    };
    const { row, meter } = await boundMeter({ meterTypeId: type.id }, 'none', { rule });
    if (isCiphered) await ask('PUT', `/asset/meter/${row.id}/keys`, { ek: toHex(meter.keys.ek), ak: toHex(meter.keys.ak) });
    if (!hasTitle) await sql`update meter set system_title = null where id = ${row.id}`.execute(app.ctx.db);
    return { meter, item: await readRegister(row.id), again: () => readRegister(row.id) };
  };
  for (const isCiphered of [false, true]) {
    const { item, meter, again } = await read(value, isCiphered);
    expect(item, item.reasonText ?? '').toMatchObject({ state: 'read_success', reasonCode: null });
    expect(await again()).toMatchObject({ state: 'read_success' });
    expect(meter.opened).toBe(0);
  }
  expect((await read(value, true, false)).item).toMatchObject({ state: 'read_fail', reasonCode: 'BAD_ANSWER' });
  expect((await read('negotiated', false)).item).toMatchObject({ state: 'read_fail', reasonCode: 'ASSOC_REFUSED' });
  const refused = await ask('POST', '/asset/meter-type', NEW.meterType({ [name]: value, authenticationType: 'low' }));
  expect(refused.body.issues).toEqual([{ field: 'authenticationType', message: RULES.preEstablished.en }]);
  const signed = { ciphering: 'always', generalSigning: true, securitySuite: 1, authenticationType: 'none' };
  const unsigned = await ask('POST', '/asset/meter-type', NEW.meterType({ [name]: value, ...signed }));
  expect(unsigned.body.issues).toEqual([{ field: 'association', message: RULES.preEstablishedPlainly.en }]);
};

const typeSaysNothing: Exercise = async () => {
  expect(await saved('/asset/meter-type', NEW.meterType({ imageBlockSize: null }))).toMatchObject({ imageBlockSize: null });
};

/** An upgrade of a meter whose type prescribes the size sends blocks of this size, less than device and firmware permit. */
const blocksHaveSizeOfType: Exercise = async () => {
  const size = 96;
  const type = await saved('/asset/meter-type', NEW.meterType({ imageBlockSize: size, authenticationType: 'none' }));
  const { row, meter } = await boundMeter({ meterTypeId: type.id });
  const store = new ImageStore({ blockSize: 512, maxSize: 100_000, verify: () => true, activate: () => true });
  const image = imageTransferObject(store, { instance: WELL_KNOWN.IMAGE.instance });
  const blocks: number[] = [];
  meter.objects.set(objectKey(image.classId, image.instance), image);
  meter.peculiar = (request) => {
    const block = request[0] === APDU_TAGS.actionRequest ? decode(actionRequest, request) : undefined;
    if (block?.kind === 'normal' && block.method.classId === image.classId && block.method.methodId === IMAGE_BLOCK)
      blocks.push(store.blockSize);
    return undefined;
  };
  const version = encode(octetString, Buffer.from('8'));
  meter.objects.set(objectKey(1, WELL_KNOWN.FWID.instance), {
    ...register(WELL_KNOWN.FWID.instance, () => 0),
    classId: 1,
    read: () => version,
  });
  const octets = makeImage({ model: 'HES-MP', version: '9' }, 1000);
  await upgradeTo(octets, row.id, type.id);
  // The store refuses blocks of another size.
  await vi.waitFor(() => expect([store.firstMissing, blocks.length]).toEqual([blocks.length, Math.ceil(octets.length / size)]), {
    timeout: 20_000,
    interval: 20,
  });
  expect(new Set(blocks)).toEqual(new Set([size]));
};

/** Uploads a firmware as one user, approves it as another one, and starts its upgrade of a meter. */
async function upgradeTo(octets: Uint8Array, meterId: string, typeId: string): Promise<void> {
  const uploader = await app.addUser({ roles: ['FW_ENGINEER'] });
  const file = await app.call(uploader, {
    method: 'POST',
    url: '/api/upgrade/firmware/file?name=image.bin',
    headers: { 'content-type': 'application/octet-stream' },
    payload: Buffer.from(octets),
  });
  const firmware = {
    fileId: file.json().fileId,
    name: nextSn('Image '),
    version: nextSn('9.'),
    supplierId: id('ACME'),
    targetKind: 'meter',
    typeIds: [typeId],
    imageIdentifier: 'HES-MP-9',
    upgradeReason: 'x',
    fileProvider: 'x',
    blockSize: 256,
  };
  const made = await app.call(uploader, { method: 'POST', url: '/api/upgrade/firmware', payload: firmware });
  expect(made.statusCode, made.body).toBe(201);
  await ask('PUT', `/upgrade/firmware/${made.json().id}/approve`, { revision: made.json().revision });
  const job = {
    name: 'Upgrade',
    firmwareId: made.json().id,
    selection: { ids: [meterId] },
    rings: [],
    continueBy: 'itself',
    watchMinutes: 0,
  };
  const begun = await app.call(uploader, { method: 'POST', url: '/api/upgrade/job', payload: { ...job, reason: 'A test' } });
  expect(begun.statusCode, begun.body).toBe(202);
  const supervisor = startSupervisor(app.ctx);
  await supervisor.runNow();
  await supervisor.stop();
}

const each = (values: readonly string[], exercise: Exercise): Record<string, Exercise> =>
  Object.fromEntries(values.map((value) => [value, exercise]));

/** Exercises by form, field and value. The walk fails for a value without exercise, unless `SPOKEN` has a reason for its refusal. */
const EXERCISES: Record<Form, Record<string, Record<string, Exercise>>> = {
  dcu: {
    protocol: { dlms_wrapper: dcuIsReached, dlms_hdlc: hdlcIsSpoken },
    communicateType: each(['g2', 'g3', 'g4', 'nb_iot', 'ethernet', 'fibre'], dcuIsReached),
    connectionType: { dial_in: dcuIsReached, dial_out: dcuIsDialled },
    authenticationType: each(['none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa'], dcuAuthenticates),
    dataChannel: each(['plc', 'rf', 'plc_rf', 'rs485'], dcuIsReached),
  },
  dcuType: {
    protocol: { dlms_wrapper: importedDcuIsReached, dlms_hdlc: importedDcuIsReached },
    authenticationType: each(['none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa'], importedDcuIsReached),
    downlinkModes: each(['plc', 'rf', 'rs485'], proposedChannelIsReached),
    features: {},
  },
  meter: {
    communicationMode: { ...each(['plc', 'rf'], meterIsRead), direct: directMeterIsRead('dial_in') },
    connectionType: { dial_in: directMeterIsRead('dial_in'), dial_out: directMeterIsRead('dial_out') },
    protocol: { dlms_wrapper: directMeterIsRead('dial_out'), dlms_hdlc: hdlcOfMeterIsSpoken },
    recordedPhase: each(['a', 'b', 'c', 'abc', 'unknown'], meterIsRead),
    phase: each(['1p2w', '3p3w', '3p4w'], meterDiffersFromType),
  },
  meterType: {
    phase: each(['1p2w', '3p3w', '3p4w'], meterOfTypeIsRead()),
    communicationModes: { ...each(['plc', 'rf'], meterOfTypeIsRead(true)), direct: directMeterIsRead('dial_in') },
    addressing: { logical: meterOfTypeIsRead(), short: shortNamesAreSpoken },
    authenticationType: each(['none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa'], meterAuthenticates),
    association: { negotiated: meterOfTypeIsRead(), pre_established: preEstablishedIsUsed },
    ciphering: {
      by_mechanism: meterOfTypeIsRead(),
      always: cipheringIsKept('low', true),
      never: cipheringIsKept('hls_gmac', false),
    },
    keyAgreement: { none: meterOfTypeIsRead(), one_pass: keysAreAgreed, static: keysAreAgreed },
    securitySuite: {
      '0': async () => {
        const { link } = await linkOfDcu({}, 'hls_gmac');
        expect(link?.suite).toBe(0);
        await meterAuthenticates('authenticationType', 'hls_gmac');
        await suiteIsSpoken('securitySuite', '0');
      },
      ...each(['1', '2'], suiteIsSpoken),
    },
    quirks: each(['range_without_deviation', 'no_block_get', 'single_attribute_only', 'ldn_short'], quirkIsRespected),
    lpaPeriodSec: each(['300', '900', '1800', '3600'], periodOfTypeIsStored('lpa')),
    lpbPeriodSec: each(['300', '900', '1800', '3600'], periodOfTypeIsStored('lpb')),
    relayMode: each(['0', '1', '2', '3', '4', '5', '6'], modeOfTypeDecides),
    imageBlockSize: { device: typeSaysNothing, type: blocksHaveSizeOfType },
  },
};

// Possible values of a form, from its schema.

interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  entries?: Record<string, string>;
  values?: (string | number)[];
}
const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition; // as: common part of every definition

/** The innermost schema: of an optional one, of a list, before a transformation. */
function innermost(schema: z.ZodType): Definition {
  const definition = definitionOf(schema);
  const inside = definition.innerType ?? definition.in ?? definition.element;
  return inside === undefined ? definition : innermost(inside);
}

const spokenFor = (name: string): Record<string, Spoken> | undefined =>
  Object.hasOwn(SPOKEN, name) ? (SPOKEN[name as keyof typeof SPOKEN] as Record<string, Spoken>) : undefined; // as: the line before has checked it

const NUMBERS: Record<string, readonly number[]> = {
  lpaPeriodSec: PERIODS_S,
  lpbPeriodSec: PERIODS_S,
  relayMode: [...CONTROL_MODES.keys()],
};

/** Every field of a form with a finite set of values, with these values. */
function choicesOf(schema: z.ZodType): Map<string, string[]> {
  const choices = new Map<string, string[]>();
  for (const [name, inside] of Object.entries(definitionOf(schema).shape ?? {})) {
    const { type, entries, values = [] } = innermost(inside);
    const own = entries ? Object.values(entries) : values.map(String);
    const known = spokenFor(name);
    if (['enum', 'literal', 'never'].includes(type) || known !== undefined)
      choices.set(name, [...new Set([...Object.keys(known ?? {}), ...own])]);
  }
  // Numbers that the form offers in a list.
  for (const [name, numbers] of Object.entries(NUMBERS))
    if (definitionOf(schema).shape?.[name] !== undefined) choices.set(name, numbers.map(String));
  return choices;
}

/** Values that are neither exercised nor refused with a reason, and those that are both. */
function unsettled(
  values: readonly string[],
  spoken: Record<string, Spoken> | undefined,
  exercised: Record<string, unknown> = {},
): string[] {
  return values.filter((value) => (refusalOf(spoken ?? {}, value) === undefined) !== Object.hasOwn(exercised, value));
}

const FORMS = Object.keys(NEW) as Form[]; // as: keys of the table
const everyChoice = FORMS.flatMap((form) => [...choicesOf(SCHEMAS[form])].map(([name, values]) => ({ form, name, values })));
const everyValue = everyChoice.flatMap(({ form, name, values }) => values.map((value) => ({ form, name, value })));
const refused = everyValue.flatMap((one) => {
  const reason = refusalOf(spokenFor(one.name) ?? {}, one.value);
  return reason === undefined ? [] : [{ ...one, reason }];
});
const honoured = everyValue.filter(
  (one) => !refused.some((other) => other.form === one.form && other.name === one.name && other.value === one.value),
);

describe('every value of a form', () => {
  test.each(everyChoice)('$form, $name: each is exercised on a wire or refused with a reason', ({ form, name, values }) => {
    expect(values.length).toBeGreaterThan(0);
    expect(unsettled(values, spokenFor(name), EXERCISES[form][name])).toEqual([]);
  });

  test('the walk names no field and no value that a form does not have', () => {
    const named = FORMS.flatMap((form) =>
      Object.entries(EXERCISES[form]).flatMap(([name, of]) => Object.keys(of).map((value) => `${form}.${name}.${value}`)),
    );
    expect(named.filter((one) => !everyValue.some(({ form, name, value }) => one === `${form}.${name}.${value}`))).toEqual([]);
  });

  test('the walk finds a new value without exercise or refusal, and a supported one without exercise', () => {
    expect(unsettled(['g4', 'g5'], undefined, { g4: dcuIsReached })).toEqual(['g5']);
    expect(unsettled(['dlms_wrapper', 'dlms_udp'], { dlms_wrapper: true, dlms_udp: true }, { dlms_wrapper: dcuIsReached })).toEqual([
      'dlms_udp',
    ]);
    expect(unsettled(['short'], { short: { en: 'No', zh: '否' } }, { short: dcuIsReached })).toEqual(['short']);
  });

  test('every supported authentication has a simulated device that requires it', () => {
    expect(SPOKEN_AUTHENTICATIONS.toSorted()).toEqual(
      Object.entries(SPOKEN.authenticationType)
        .flatMap(([word, spoken]) => (spoken === true ? [word] : []))
        .toSorted(),
    );
  });

  test('every reason has a text in both languages', () => {
    expect(SPOKEN_SENTENCES.filter(({ en, zh }) => ruleBySentence.get(en)?.zh !== zh || zh === en)).toEqual([]);
  });
});

/** Number of the statement that the exercises of a field prove. */
const STATEMENTS: Record<string, string> = {
  protocol: 'S-174',
  communicateType: 'S-175',
  connectionType: 'S-177',
  authenticationType: 'S-178',
  dataChannel: 'S-180',
  phase: 'S-188',
};

describe('on a wire', () => {
  test.each(honoured.map((one) => ({ ...one, statement: STATEMENTS[one.name] ?? '' })))(
    '$statement $form, $name = $value',
    async ({ form, name, value }) => {
      await EXERCISES[form][name]?.[value]?.(name, value);
    },
  );

  test('stored keys and passwords open associations, and no trace contains the password', async () => {
    const { row } = await boundMeter({}, 'low');
    const { traceId } = await readRegister(row.id);
    const trace = await vi.waitFor(async () => {
      const { status, body } = await ask('GET', `/trace/${traceId}`);
      expect(status).toBe(200);
      return JSON.stringify(body).toLowerCase();
    });
    const mechanismLow = '60857405080201';
    expect(trace).toContain(mechanismLow);
    expect(trace).not.toContain(PASSWORD.toLowerCase());
    expect(trace).not.toContain(Buffer.from(PASSWORD).toString('hex'));
    expect(trace).toContain('00'.repeat(PASSWORD.length));
  });
});

/** Saves the value by form, change and file, in one language. */
async function refusalsOf(form: Form, values: Values, language: string) {
  const before = await saved(PATHS[form], NEW[form]({}));
  const change = { ...NEW[form](values), code: before.code, version: before.version };
  const ways = [
    await ask('POST', PATHS[form], NEW[form](values), language),
    await ask('PUT', `${PATHS[form]}/${before.id}`, change, language),
  ];
  if (form === 'dcuType' || form === 'meterType') {
    const file = (await ask('GET', `${PATHS[form]}/${before.id}/file`)).body;
    const other = { ...file, type: { ...file.type, code: nextSn('F'), name: nextSn('From a file '), ...values } };
    const fromFile = await ask('POST', `${PATHS[form]}/file`, other, language);
    ways.push({
      ...fromFile,
      body: {
        ...fromFile.body,
        issues: fromFile.body.issues?.map((one: { field: string }) => ({ ...one, field: one.field.replace(/^type\./, '') })),
      },
    });
  }
  return ways;
}

const LISTS = new Set(['quirks', 'features']);
const VALUE_OF: Record<string, (value: string) => unknown> = { securitySuite: Number, imageBlockSize: () => 512 };

describe('an unsupported value', () => {
  test.each(refused)('$form, $name = $value is refused with its reason by form, change and file', async ({ form, name, value, reason }) => {
    const sent = LISTS.has(name) ? [value] : (VALUE_OF[name]?.(value) ?? value);
    for (const [language, message] of [
      ['en', reason.en],
      ['zh-CN', reason.zh],
    ] as const)
      for (const { status, body } of await refusalsOf(form, { [name]: sent }, language)) {
        expect([status, body.code]).toEqual([400, 'VALIDATION']);
        expect(body.issues).toEqual([{ field: LISTS.has(name) ? `${name}.0` : name, message }]);
      }
  });

  const masterKey = refusalOf(SPOKEN.secrets, 'masterKey');
  const tooLong = RULES.keyOf128Bits;

  test.each(['dcu', 'meter'] as const)('a %s takes no master key and no key of 32 octets, by form and by file', async (kind) => {
    const fields = NEW[kind]({});
    const row = await saved(PATHS[kind], fields);
    const long = { ek: KEY_32_OCTETS, ak: KEY_32_OCTETS.toLowerCase() };
    for (const [language, say] of [
      ['en', 'en'],
      ['zh-CN', 'zh'],
    ] as const) {
      const master = await ask('PUT', `${PATHS[kind]}/${row.id}/keys`, { masterKey: KEY_32_OCTETS.slice(0, 32) }, language);
      expect(master.body.issues).toEqual([{ field: 'masterKey', message: masterKey?.[say] }]);
      const keys = await ask('PUT', `${PATHS[kind]}/${row.id}/keys`, long, language);
      expect(keys.body.issues).toEqual(['ek', 'ak'].map((name) => ({ field: name, message: tooLong[say] })));
      const added = await ask('POST', PATHS[kind], { ...NEW[kind]({}), keys: { masterKey: KEY_32_OCTETS.slice(0, 32) } }, language);
      expect(added.body.issues).toEqual([{ field: 'keys.masterKey', message: masterKey?.[say] }]);
      const issuesOf = async (line: string) =>
        (await upload(`${kind}-key`, ['SN,Master key,ek,ak', line], language))
          .json()
          .rows.flatMap((row: { issues: unknown[] }) => row.issues);
      expect(await issuesOf(`${fields.sn},${KEY_32_OCTETS.slice(0, 32)},,`)).toEqual([{ column: 'masterKey', message: masterKey?.[say] }]);
      expect(await issuesOf(`${fields.sn},,${long.ek},${[...long.ak].toReversed().join('')}`)).toEqual(
        ['ek', 'ak'].map((column) => ({ column, message: tooLong[say] })),
      );
    }
    const template = await app.call(admin, { url: `/api/import/${kind}-key/template?format=csv` });
    expect(template.body).not.toMatch(/Master key/);
  });

  test('a stored master key can be removed', async () => {
    const row = await saved('/asset/dcu', NEW.dcu({}));
    await sql`update dcu set master_key_secret = ${Buffer.of(0)} where id = ${row.id}`.execute(app.ctx.db);
    expect((await ask('PUT', `/asset/dcu/${row.id}/keys`, { masterKey: null })).body.keys.masterKey).toBe(false);
  });

  test('a type file with peculiarities of its profile is refused', async () => {
    const type = await saved('/asset/meter-type', NEW.meterType({}));
    const file = (await ask('GET', `/asset/meter-type/${type.id}/file`)).body;
    const body = { ...file.profile.body, quirks: { slow: true } };
    const answer = await ask('POST', '/asset/meter-type/file', { ...file, profile: { ...file.profile, body } });
    expect(answer.body.issues).toEqual([{ field: 'profile.body.quirks', message: refusalOf(SPOKEN.profileQuirks, 'some')?.en }]);
  });

  test('firmware with an unsupported upgrade protocol is refused', () => {
    const issue = newFirmware
      .safeParse({ upgradeProtocol: 'vendor_file_pull' })
      .error?.issues.find(({ path }) => path[0] === 'upgradeProtocol');
    expect(issue?.message).toBe(refusalOf(SPOKEN.upgradeProtocol, 'vendor_file_pull')?.en);
  });

  test('a filter for it is refused as well', async () => {
    expect((await ask('GET', '/asset/dcu-type?protocol=dlms_udp')).status).toBe(400);
    expect((await ask('GET', '/asset/dcu-type?feature=cache')).status).toBe(400);
    expect((await ask('GET', '/asset/dcu-type?protocol=dlms_wrapper')).status).toBe(200);
  });

  test('a password that mechanism 2 has no common form for fails the operation with a reason, and nothing is sent', async () => {
    const { row, meter } = await boundMeter({}, 'high');
    await ask('PUT', `/asset/meter/${row.id}/keys`, { password: `${PASSWORD}é`.slice(1) });
    expect(await readRegister(row.id)).toMatchObject({
      reasonCode: 'SETTING_UNSUPPORTED',
      reasonText: 'A password of 17 octets with mechanism 2',
    });
    expect(meter.opened).toBe(0);
  });

  test('a challenge that mechanism 2 has no common form for is not answered', async () => {
    const { row, meter } = await boundMeter({}, 'high');
    const tags: number[] = [];
    meter.peculiar = (request, usual) => {
      tags.push(request[0] ?? 0);
      const answer = usual();
      if (answer?.[0] !== APDU_TAGS.aare) return answer;
      return encode(aare, { ...decode(aare, answer), authenticationValue: new Uint8Array(8).fill(7) });
    };
    expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail', reasonCode: 'CHALLENGE_UNSUPPORTED' });
    expect(tags.filter((tag) => tag !== APDU_TAGS.aarq)).toEqual([]);
  });

  test('stored keys of 32 octets fail the operation with a reason', async () => {
    const { row } = await boundMeter({}, 'hls_gmac');
    const key = Buffer.from(KEY_32_OCTETS, 'hex');
    const { ekSecret, akSecret } = sealKeys(app.ctx.secrets, 'meter', row.sn, { ek: key, ak: key });
    await app.ctx.db.updateTable('meter').set({ ekSecret, akSecret }).where('id', '=', row.id).execute();
    expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail', reasonCode: 'SETTING_UNSUPPORTED' });
  });
});

describe('services of a type that says so', () => {
  test('are signed in both directions, and a meter that requires it is not read without', async () => {
    const { meter, tags } = await protectedMeter('static', {
      mechanism: 'hlsGmac',
      ciphered: true,
      signed: true,
      publicKey: headEnd.publicKeyOf(1),
    });
    const [signed, unsigned] = [
      await saved('/asset/meter-type', NEW.meterType({ generalSigning: true, securitySuite: 1 })),
      await saved('/asset/meter-type', NEW.meterType({ securitySuite: 1 })),
    ];
    const { row } = await bindMeter({ meterTypeId: signed.id }, 'hls_gmac', meter);
    await expectRead(row.id);
    expect(tags).toEqual(new Set([APDU_TAGS.generalSigning]));
    await ask('PUT', '/asset/meter/type', { ids: [row.id], meterTypeId: unsigned.id });
    expect(await readRegister(row.id)).toMatchObject({ state: 'read_fail' });
    await ask('PUT', '/asset/meter/type', { ids: [row.id], meterTypeId: signed.id });
    await forgetCertificates(meter, 'digital_signature');
    expect(await readRegister(row.id)).toMatchObject({ reasonCode: 'CERTIFICATE_MISSING', reasonText: 'digital signature' });
  });

  test.each([
    [{ authenticationType: 'hls_ecdsa' }, 'securitySuite', RULES.suiteOfCertificates],
    [{ keyAgreement: 'static' }, 'securitySuite', RULES.suiteOfCertificates],
    [{ generalSigning: true, securitySuite: 1, ciphering: 'never' }, 'ciphering', RULES.cipheredServices],
    [{ keyAgreement: 'one_pass', securitySuite: 2, authenticationType: 'low' }, 'ciphering', RULES.cipheredServices],
  ])('need what they are made with: %j', async (values, field_, message) => {
    const { body } = await ask('POST', '/asset/meter-type', NEW.meterType(values));
    expect(body.issues).toEqual([{ field: field_, message: message.en }]);
  });
});

describe('the test of a link', () => {
  test.each(['hls_sha256', 'low'] as const)('returns the used and the granted properties, for %s', async (authenticationType) => {
    const { link } = await linkOfDcu({}, authenticationType);
    const response = dialled.at(-1)?.answers.find(([tag]) => tag === APDU_TAGS.aare) ?? new Uint8Array(0);
    const { userInformation, respondingApTitle } = decode(aare, response);
    const { conformance, maxPduSize } = decode(initiateResponse, userInformation ?? new Uint8Array(0));
    expect(conformance.length).toBeGreaterThan(5);
    const systemTitle = respondingApTitle === undefined ? null : toHex(respondingApTitle);
    expect(link).toEqual({ authenticationType, suite: null, conformance, maxPduSize, systemTitle });
  });
});
