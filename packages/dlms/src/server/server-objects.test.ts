import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { METER_TITLE } from '../../test/support/association-world.ts';
import { PushReceiver } from '../association/block-push.ts';
import { readBlock } from '../association/block-stream.ts';
import { ClientAssociation } from '../association/client.ts';
import { CURRENT_ASSOCIATION } from '../association/client-open.ts';
import { runExchange } from '../association/exchange.ts';
import { decodeNotification } from '../association/notification.ts';
import { LogicalDevice } from '../association/server.ts';
import { decode, encode, type Codec } from '../codec/codec.ts';
import type { CaptureObject } from '../cosem/capture-object.ts';
import { associationLn, associationLnV3 } from '../cosem/classes/association-ln.ts';
import { clock } from '../cosem/classes/clock.ts';
import { disconnectControl } from '../cosem/classes/disconnect-control.ts';
import { imageTransfer } from '../cosem/classes/image-transfer.ts';
import { profileGeneric } from '../cosem/classes/profile-generic.ts';
import { arrayOf, dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import { fromEpochMs, toEpochMs } from '../cosem/date-time.ts';
import { obis } from '../cosem/obis.ts';
import { CLOCK_COLUMN, entrySelection, rangeSelection, type Selection } from '../cosem/selective-access.ts';
import { wrapKeys } from '../security/key-transfer.ts';
import { associationObject } from './association-object.ts';
import { clockObject, DeviceClock } from './clock.ts';
import { disconnectControlObject, Relay } from './disconnect-control.ts';
import { ImageStore, imageTransferObject } from './image-transfer.ts';
import { ObjectModel } from './object-model.ts';
import { Profile, profileObject } from './profile.ts';
import { Push, pushObject } from './push.ts';
import { dataObject, Demand, demandRegisterObject, extendedRegisterObject, registerObject } from './registers.ts';
import { Schedule, scheduleObject, Scripts, scriptTableObject } from './scripts.ts';
import { securitySetupObject, type SecurityContext } from './security-setup.ts';

const START = Date.UTC(2026, 10, 21);
const QUARTER_MS = 900_000;
const DEVIATION = -480;
const ENERGY = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 };
const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255') };
const RELAY = { classId: 70, instance: obis('0.0.96.3.10.255') };
const CLOCK = { classId: 8, instance: obis('0.0.1.0.0.255') };
const IMAGE = { classId: 18, instance: obis('0.0.44.0.0.255') };
const SCRIPTS = obis('0.0.10.0.106.255');
const WATTS = { scaler: 0, unit: 27 };

let now: number;
let energy: number;
let client: ClientAssociation;
let device: LogicalDevice;
let model: ObjectModel;
let relay: Relay;
let profile: Profile;
let demand: Demand;
let schedule: Schedule;
let security: SecurityContext;
let pushed: Uint8Array[];

beforeEach(() => {
  [now, energy, pushed] = [START, 0, []];
  model = new ObjectModel();
  relay = new Relay('mode4');
  profile = new Profile({
    columns: [CLOCK_COLUMN, ENERGY],
    capturePeriodSeconds: 900,
    capacity: 100,
    valueOf: ({ classId, instance, attributeId }: CaptureObject) => {
      const value = model.value(classId, instance, attributeId);
      return typeof value === 'string' ? { type: 'null' } : value;
    },
  });
  demand = new Demand({ scalerUnit: WATTS, periodSeconds: 900, numberOfPeriods: 2, deviationMinutes: DEVIATION, now: () => now });
  security = {
    cipher: nodeCipher,
    suite: 0,
    systemTitle: METER_TITLE,
    policyBits: 0x0c,
    kek: new Uint8Array(16),
    onKeys: (keys) => device.changeKeys(keys),
  };
  const off: Data = { type: 'integer', value: 0 };
  const scripts = new Scripts(model, [
    { id: 1, actions: [{ service: 'executeMethod', ...RELAY, index: 1, parameter: off }] },
    { id: 2, actions: [{ service: 'writeAttribute', ...RELAY, index: 4, parameter: { type: 'enum', value: 2 } }] },
    {
      id: 3,
      actions: [{ service: 'executeMethod', classId: 9, instance: SCRIPTS, index: 1, parameter: { type: 'longUnsigned', value: 3 } }],
    },
    { id: 4, actions: [{ service: 'executeMethod', ...RELAY, index: 1, parameter: { type: 'null' } }] },
  ]);
  const midnight = {
    time: { hour: 0, minute: 0, second: 0, hundredths: null },
    date: { year: null, month: null, day: null, dayOfWeek: null },
  };
  schedule = new Schedule(model, { script: { instance: SCRIPTS, selector: 1 }, executions: [midnight] });
  const push = new Push(model, {
    list: [CLOCK_COLUMN, ENERGY, { ...ENERGY, classId: 99 }],
    maxPduSize: 20,
    send: (apdus) => (pushed = apdus),
  });
  const deviceClock = new DeviceClock({ now: () => now, deviationMinutes: DEVIATION });
  const store = new ImageStore({
    blockSize: 64,
    maxSize: 10_000,
    verify: (image) => image.every((octet) => octet === 7),
    activate: () => true,
  });
  model.add(
    clockObject(deviceClock, CLOCK),
    registerObject({ value: () => ({ type: 'doubleLongUnsigned', value: energy }), scalerUnit: { scaler: 0, unit: 30 } }, ENERGY),
    extendedRegisterObject(
      { value: () => ({ type: 'unsigned', value: 5 }), scalerUnit: WATTS, capturedAt: () => START, deviationMinutes: DEVIATION },
      { instance: obis('1.0.1.6.0.255') },
    ),
    demandRegisterObject(demand, { instance: obis('1.0.1.4.0.255') }),
    dataObject(() => ({ type: 'unsigned', value: 1 }), { instance: obis('0.0.96.1.0.255'), allows: (_kind, _id, sap) => sap === 1 }),
    profileObject(profile, PROFILE),
    disconnectControlObject(relay, { ...RELAY, allows: (kind, _id, sap) => kind === 'read' || sap === 1 }),
    imageTransferObject(store, IMAGE),
    scriptTableObject(scripts, { instance: SCRIPTS }),
    scheduleObject(schedule, { instance: obis('0.0.15.0.0.255') }),
    securitySetupObject(security, { instance: obis('0.0.43.0.0.255') }),
    pushObject(push, { instance: obis('0.7.25.9.0.255') }),
  );
  const view = (clientSap: number, version: 1 | 3) =>
    associationObject(
      {
        clientSap,
        serverSap: 1,
        objects: () => model.objects,
        conformance: ['get'],
        maxPduSize: 1024,
        securitySetup: obis('0.0.43.0.0.255'),
      },
      version,
      version === 1 ? CURRENT_ASSOCIATION : obis('0.0.40.0.3.255'),
    );
  model.add(view(1, 1), view(16, 3));
  const rule = { mechanism: 'none', ciphered: false } as const;
  device = new LogicalDevice({
    objects: model.find,
    systemTitle: METER_TITLE,
    cipher: nodeCipher,
    rules: new Map([[1, rule]]),
    maxPduSize: 1024,
    counters: { next: () => 0, last: () => -1, accept: () => undefined },
  });
  client = new ClientAssociation({
    mechanism: 'none',
    ciphered: false,
    systemTitle: new Uint8Array(8),
    cipher: nodeCipher,
    maxPduSize: 1024,
    nextCounter: () => 0,
    peer: { counter: -1 },
  });
  runExchange(client.open(), talk);
});

const talk = (apdu: Uint8Array) => device.receive(1, apdu);

function read<T>(
  ref: { classId: number; instance: CaptureObject['instance'] },
  { id, codec }: { id: number; codec: Codec<T> },
  selection?: Selection,
): T {
  const result = runExchange(client.get({ ...ref, attributeId: id }, selection), talk);
  if (!result.ok) throw new Error(result.result);
  return decode(codec, result.data);
}

const invoke = (
  ref: { classId: number; instance: CaptureObject['instance'] },
  methodId: number,
  argument: Data = { type: 'integer', value: 0 },
) => runExchange(client.invoke({ ...ref, methodId }, encode(dataCodec, argument)), talk);

describe('the object list', () => {
  it('lists the members of the objects', () => {
    const list = read({ classId: 15, instance: CURRENT_ASSOCIATION }, associationLn.attributes.objectList);
    expect(list).toHaveLength(14);
    expect(list.find(({ classId }) => classId === 7)?.accessRights).toMatchObject({
      attributes: [
        { attributeId: 1 },
        { attributeId: 2, accessMode: 'readOnly', accessSelectors: [1, 2] },
        { attributeId: 3, accessMode: 'readAndWrite' },
        {},
        {},
        {},
        {},
        {},
      ],
      methods: [{ methodId: 1, accessMode: 'access' }, { methodId: 2 }],
    });
    expect(read({ classId: 15, instance: CURRENT_ASSOCIATION }, associationLn.attributes.xdlmsContextInfo)).toMatchObject({
      conformance: '000000000000000000010000',
      dlmsVersion: 6,
    });
  });

  it('of version 3 has bit sets, and hides inaccessible objects', () => {
    const list = read({ classId: 15, instance: obis('0.0.40.0.3.255') }, associationLnV3.attributes.objectList);
    expect(list.some(({ instance }) => instance === obis('0.0.96.1.0.255'))).toBe(false);
    const listed = list.find(({ classId }) => classId === 70);
    expect(listed?.accessRights.attributes.map(({ accessMode }) => accessMode)).toEqual([1, 1, 1, 1]);
    expect(listed?.accessRights.methods).toEqual([]);
  });

  it('lists as readable only attributes that can be read', () => {
    for (const { classId, instance, accessRights } of read(
      { classId: 15, instance: CURRENT_ASSOCIATION },
      associationLn.attributes.objectList,
    ))
      for (const { attributeId } of accessRights.attributes)
        expect(runExchange(client.get({ classId, instance, attributeId }), talk)).toMatchObject({ ok: true });
  });
});

describe('a profile', () => {
  const buffer = { id: 2, codec: profileGeneric.attributes.buffer.codec };
  const rows = (selection?: Selection) => (read(PROFILE, buffer, selection) as { value: { value: Data[] }[] }).value; // as: a buffer
  const values = (selection?: Selection) => rows(selection).map(({ value }) => (value.at(-1) as { value: number }).value); // as: numbers

  beforeEach(() => {
    for (let i = 0; i < 120; i++) {
      energy = i;
      expect(invoke(PROFILE, 2)).toMatchObject({ ok: true });
      now += QUARTER_MS;
    }
  });

  it('keeps rows up to its capacity, oldest first', () => {
    expect(read(PROFILE, profileGeneric.attributes.entriesInUse)).toBe(100);
    expect(read(PROFILE, profileGeneric.attributes.captureObjects)).toEqual([CLOCK_COLUMN, ENERGY]);
    expect(values()).toEqual(Array.from({ length: 100 }, (_, i) => i + 20));
  });

  it('is read by entry and column, and by range', () => {
    expect(values(entrySelection({ fromEntry: 2, toEntry: 4 }))).toEqual([21, 22, 23]);
    expect(rows(entrySelection({ fromEntry: 1, toEntry: 1, fromColumn: 2, toColumn: 2 }))[0]?.value).toHaveLength(1);
    const at = (slot: number) => fromEpochMs(START + slot * QUARTER_MS, DEVIATION);
    expect(values(rangeSelection({ from: at(30), to: at(33) }))).toEqual([30, 31, 32, 33]);
    expect(rows(rangeSelection({ from: at(30), to: at(30), columns: [ENERGY] }))[0]?.value).toEqual([
      { type: 'doubleLongUnsigned', value: 30 },
    ]);
    expect(rows(rangeSelection({ from: at(0), to: at(3) }))).toEqual([]);
  });

  it('refuses selections it cannot serve with specific results', () => {
    const get = (selection: Selection) => runExchange(client.get({ ...PROFILE, attributeId: 2 }, selection), talk);
    const range = { from: fromEpochMs(START, 0), to: fromEpochMs(START, 0) };
    expect(get({ selector: 9, parameters: { type: 'null' } })).toEqual({ ok: false, result: 'typeUnmatched' });
    expect(get({ selector: 1, parameters: { type: 'null' } })).toEqual({ ok: false, result: 'typeUnmatched' });
    expect(get(rangeSelection({ ...range, restricting: RELAY_COLUMN }))).toEqual({ ok: false, result: 'scopeOfAccessViolated' });
    expect(get(rangeSelection({ ...range, columns: [RELAY_COLUMN] }))).toEqual({ ok: false, result: 'objectUndefined' });
  });

  it('is cleared when its columns change', () => {
    const columns = encode(arrayOf(CAPTURE), [ENERGY]);
    expect(runExchange(client.set({ ...PROFILE, attributeId: 3 }, columns), talk)).toEqual({ ok: true });
    expect(read(PROFILE, profileGeneric.attributes.entriesInUse)).toBe(0);
    invoke(PROFILE, 2);
    expect(values()).toEqual([119]);
    invoke(PROFILE, 1);
    expect(values()).toEqual([]);
  });

  it.each(['fifo', 'lifo', 'largest', 'smallest', 'nearestToZero', 'farthestFromZero'] as const)(
    'sorted %s keeps its order',
    (sortMethod) => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 30 }), (numbers) => {
          const sorted = new Profile({
            columns: [ENERGY],
            capturePeriodSeconds: 0,
            capacity: 8,
            sortMethod,
            sortColumn: ENERGY,
            valueOf: () => ({ type: 'null' }),
          });
          for (const value of numbers) sorted.add([{ type: 'long', value }]);
          const found = (decode(dataCodec, sorted.read(undefined) as Uint8Array) as { value: { value: { value: number }[] }[] }).value.map(
            ({ value }) => value[0]?.value ?? 0,
          ); // as: rows of one number
          const orders = {
            fifo: () => numbers.slice(-8),
            lifo: () => numbers.slice(-8).toReversed(),
            largest: () => numbers.toSorted((a, b) => b - a).slice(0, 8),
            smallest: () => numbers.toSorted((a, b) => a - b).slice(0, 8),
            nearestToZero: () => numbers.toSorted((a, b) => Math.abs(a) - Math.abs(b)).slice(0, 8),
            farthestFromZero: () => numbers.toSorted((a, b) => Math.abs(b) - Math.abs(a)).slice(0, 8),
          };
          const rank = sortMethod.endsWith('Zero') ? Math.abs : (value: number) => value;
          expect(found.map(rank)).toEqual(orders[sortMethod]().map(rank));
        }),
      );
    },
  );
});

const RELAY_COLUMN: CaptureObject = { ...RELAY, attributeId: 2, dataIndex: 0 };
const CAPTURE = { read: profileGeneric.attributes.sortObject.codec.read, write: profileGeneric.attributes.sortObject.codec.write };

it('the device cannot read, write or invoke an object that it does not have', () => {
  const nowhere = obis('0.0.96.99.9.255');
  expect(model.value(70, nowhere, 2)).toBe('objectUndefined');
  expect(model.write(70, nowhere, 2, { type: 'unsigned', value: 1 })).toBe('objectUndefined');
  expect(model.invoke(70, nowhere, 1, { type: 'integer', value: 0 })).toBe('objectUndefined');
});

describe('a relay, scripts and schedules', () => {
  it('are driven remotely and by each other', () => {
    expect(invoke(RELAY, 1)).toMatchObject({ ok: true });
    expect(read(RELAY, disconnectControl.attributes.outputState)).toBe(false);
    invoke(RELAY, 2);
    expect(read(RELAY, disconnectControl.attributes.outputState)).toBe(true);
    expect(read(RELAY, disconnectControl.attributes.controlMode)).toBe('mode4');
    expect(read(RELAY, disconnectControl.attributes.controlState)).toBe('connected');
    const table = { classId: 9, instance: SCRIPTS };
    const run = (id: number) => invoke(table, 1, { type: 'longUnsigned', value: id });
    expect([run(1), relay.state]).toMatchObject([{ ok: true }, 'disconnected']);
    expect([run(2), relay.mode]).toMatchObject([{ ok: true }, 'mode2']);
    expect(run(3)).toEqual({ ok: false, result: 'otherReason' });
    expect(run(4)).toEqual({ ok: false, result: 'typeUnmatched' });
    expect(run(77)).toEqual({ ok: false, result: 'objectUndefined' });
  });

  it('run at their scheduled time only', () => {
    const day = { year: 2026, month: 11, day: 21, hour: 0, minute: 0 };
    expect(schedule.tick({ ...day, second: 1 })).toBeUndefined();
    expect([schedule.tick({ ...day, second: 0 }), relay.state]).toEqual(['success', 'disconnected']);
  });
});

describe('a clock', () => {
  const time = () => toEpochMs(read(CLOCK, clock.attributes.time));
  const moment = (ms: number): Data => ({
    type: 'octetString',
    value: encode(clock.attributes.time.codec, fromEpochMs(ms, DEVIATION)).slice(2),
  });

  it('is set, shifted and rounded', () => {
    expect(runExchange(client.set({ ...CLOCK, attributeId: 2 }, encode(dataCodec, moment(START + 61_000))), talk)).toEqual({ ok: true });
    expect(time()).toBe(START + 61_000);
    invoke(CLOCK, 6, { type: 'long', value: -10 });
    expect(time()).toBe(START + 51_000);
    expect(invoke(CLOCK, 6, { type: 'long', value: 901 })).toMatchObject({ ok: false });
    invoke(CLOCK, 3);
    expect(time()).toBe(START + 60_000);
    invoke(CLOCK, 1);
    expect(time()).toBe(START);
    expect(
      runExchange(
        client.set({ ...CLOCK, attributeId: 2 }, encode(dataCodec, { type: 'octetString', value: new Uint8Array(12).fill(0xff) })),
        talk,
      ),
    ).toMatchObject({ ok: false });
  });

  it('takes a preset time while it is valid, once', () => {
    const preset: Data = { type: 'structure', value: [moment(START + 5000), moment(START - 1000), moment(START + 1000)] };
    expect(invoke(CLOCK, 4)).toMatchObject({ ok: false });
    expect(invoke(CLOCK, 5, preset)).toMatchObject({ ok: true });
    expect([invoke(CLOCK, 4), time()]).toMatchObject([{ ok: true }, START + 5000]);
    expect(invoke(CLOCK, 4)).toMatchObject({ ok: false });
  });
});

describe('a demand register', () => {
  it('averages over its window of periods', () => {
    demand.add(900 * 1000);
    expect([demand.current, demand.last]).toEqual([500, 0]);
    now += QUARTER_MS;
    demand.nextPeriod();
    expect([demand.current, demand.last]).toEqual([500, 500]);
    demand.add(900 * 2000);
    demand.nextPeriod();
    expect([demand.current, demand.last]).toEqual([1000, 1500]);
    invoke({ classId: 5, instance: obis('1.0.1.4.0.255') }, 1);
    expect(demand.current).toBe(0);
  });
});

describe('an image', () => {
  it('is transferred block by block, verified and activated', () => {
    expect(runExchange(client.set({ ...IMAGE, attributeId: 5 }, encode(dataCodec, { type: 'boolean', value: true })), talk)).toEqual({
      ok: true,
    });
    const octets = (value: Uint8Array): Data => ({ type: 'octetString', value });
    const number = (value: number): Data => ({ type: 'doubleLongUnsigned', value });
    expect(invoke(IMAGE, 1, { type: 'structure', value: [octets(Uint8Array.of(1)), number(150)] })).toMatchObject({ ok: true });
    for (const block of [2, 0])
      invoke(IMAGE, 2, { type: 'structure', value: [number(block), octets(new Uint8Array(block === 2 ? 22 : 64).fill(7))] });
    expect(read(IMAGE, imageTransfer.attributes.firstNotTransferredBlockNumber)).toBe(1);
    expect(read(IMAGE, imageTransfer.attributes.transferredBlocksStatus)).toBe('101');
    invoke(IMAGE, 2, { type: 'structure', value: [number(1), octets(new Uint8Array(64).fill(7))] });
    expect(invoke(IMAGE, 3)).toMatchObject({ ok: true });
    expect(read(IMAGE, imageTransfer.attributes.toActivateInfo)).toMatchObject([{ size: 150 }]);
    expect(invoke(IMAGE, 4)).toMatchObject({ ok: true });
    expect(read(IMAGE, imageTransfer.attributes.transferStatus)).toBe('activationSuccessful');
  });
});

describe('a push', () => {
  it('sends the values of its list, in blocks when they are long', () => {
    energy = 77;
    expect(invoke({ classId: 40, instance: obis('0.7.25.9.0.255') }, 1)).toMatchObject({ ok: true });
    expect(pushed.length).toBeGreaterThan(1);
    const receiver = new PushReceiver({ maxOctets: 1024, window: 1 });
    const last = pushed.map((apdu) => receiver.take(readBlock(apdu))).at(-1);
    const whole = last?.kind === 'whole' ? last.apdu : new Uint8Array();
    expect(decode(dataCodec, decodeNotification(whole, () => undefined).body)).toMatchObject({
      value: [{ type: 'octetString' }, { type: 'doubleLongUnsigned', value: 77 }, { type: 'null' }],
    });
  });
});

describe('a security setup', () => {
  const setup = { classId: 64, instance: obis('0.0.43.0.0.255') };
  const policy = (bits: number) => invoke(setup, 1, { type: 'enum', value: bits });

  it('adds policy bits and never removes them', () => {
    expect([policy(0x6c), security.policyBits]).toMatchObject([{ ok: true }, 0x6c]);
    expect([policy(0x0c), policy(0x6d), security.policyBits]).toMatchObject([{ ok: false }, { ok: false }, 0x6c]);
  });

  it('accepts keys wrapped by its master key, and replaces that key as well', () => {
    const transfer = (kek: Uint8Array, keys: Parameters<typeof wrapKeys>[2]) =>
      invoke(setup, 2, decode(dataCodec, wrapKeys(nodeCipher, kek, keys)));
    const fresh = new Uint8Array(16).fill(9);
    expect(transfer(fresh, { ek: fresh })).toMatchObject({ ok: false });
    expect(transfer(security.kek, { kek: fresh })).toMatchObject({ ok: true });
    expect(security.kek).toEqual(fresh);
    expect(transfer(new Uint8Array(16), { ek: fresh })).toMatchObject({ ok: false });
  });
});

it('objects return a result for any value, and never throw', () => {
  const anyValue = fc.oneof(
    fc.constantFrom<Data>(
      { type: 'null' },
      { type: 'array', value: [] },
      { type: 'structure', value: [] },
      { type: 'boolean', value: true },
    ),
    fc.integer({ min: 0, max: 255 }).map((value): Data => ({ type: 'enum', value })),
    fc.uint8Array({ maxLength: 14 }).map((value): Data => ({ type: 'octetString', value })),
    fc.integer({ min: -128, max: 127 }).map((value): Data => ({ type: 'integer', value })),
  );
  fc.assert(
    fc.property(fc.nat(20), fc.integer({ min: -1, max: 10 }), anyValue, (at, member, value) => {
      const object = model.objects[at % model.objects.length];
      if (object === undefined) return;
      const { classId, instance } = object;
      expect(typeof model.write(classId, instance, member, value)).toBe('string');
      expect(typeof model.invoke(classId, instance, member, value)).toBe('string');
    }),
    { numRuns: 1000 },
  );
});

it('a class and a logical name are unique', () => {
  expect(() => model.add(dataObject(() => ({ type: 'null' }), { instance: obis('0.0.96.1.0.255') }))).toThrow('already');
});
