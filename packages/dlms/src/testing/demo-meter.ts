import { LogicalDevice } from '../association/server.ts';
import { objectKey, PUBLIC_CLIENT_SAP, publicClient, type ClientRule, type ServedAssociation } from '../association/server-options.ts';
import { applicationContext, mechanismName } from '../acse/names.ts';
import { toHex } from '../codec/hex.ts';
import { encode } from '../codec/codec.ts';
import type { Data } from '../cosem/data-value.ts';
import { obis } from '../cosem/obis.ts';
import { HIGH_CHALLENGE_SIZE, MECHANISM_NAMES } from '../security/hls.ts';
import { associationObject } from '../server/association-object.ts';
import type { DescribedObject } from '../server/server-object.ts';
import type { Cipher } from '../security/cipher.ts';
import type { SecurityKeys } from '../security/protection.ts';
import { DemoClock } from './demo-clock.ts';
import { DemoImage } from './demo-image.ts';
import { demoProfile, energyAt } from './demo-profile.ts';
import { array, doubleLongUnsigned, enumValue, longUnsigned, octets, plainObject, structure, text, unsigned } from './plain-object.ts';

export interface DemoMeterOptions {
  /** Serial number, in ASCII. */
  serial: string;
  systemTitle: Uint8Array;
  cipher: Cipher;
  keys: SecurityKeys | undefined;
  password: Uint8Array | undefined;
  /** Epoch milliseconds. */
  now(): number;
  /** Days of load profile before now. */
  days: number;
  /** Octets of the largest APDU it accepts. */
  maxPduSize: number;
  /** Offers general block transfer with this window; not offered when absent. */
  generalBlockTransfer?: { window: number };
}

const LDN = obis('0.0.42.0.0.255');
const COUNTER = obis('0.0.43.1.0.255');
const CLOCK = obis('0.0.1.0.0.255');
/** Names no object: the keys of this meter cannot be changed. */
const NO_SECURITY_SETUP = obis('0.0.0.0.0.0');
const SERVER_SAP = 1;
const WATT_HOUR = 30;
const VOLT = 35;

const scalerUnit = (scaler: number, unit: number): Data => structure({ type: 'integer', value: scaler }, enumValue(unit));
const register = (instance: string, value: () => Data, unit: Data): DescribedObject =>
  plainObject([3, 0, obis(instance)], { 2: value, 3: () => unit }, { methods: [1], invoke: () => ({ result: 'success' }) });

/** A text that clients with access may replace. */
function notes(): DescribedObject {
  let value: Data = text('nothing yet');
  return plainObject(
    [1, 0, obis('0.0.96.1.1.255')],
    { 2: () => value },
    {
      writable: [2],
      write: (_attributeId, data) => {
        value = data;
        return 'success';
      },
    },
  );
}

function relay(): DescribedObject {
  let connected = true;
  return plainObject(
    [70, 0, obis('0.0.96.3.10.255')],
    {
      2: () => ({ type: 'boolean', value: connected }),
      3: () => enumValue(connected ? 1 : 0),
      4: () => enumValue(4),
    },
    {
      methods: [1, 2],
      invoke: (methodId) => {
        connected = methodId === 2;
        return { result: 'success' };
      },
    },
  );
}

/** The association object of the meter. */
function associationOf(objects: () => readonly DescribedObject[], maxPduSize: number): DescribedObject {
  const viewed = (association?: ServedAssociation) =>
    associationObject({
      clientSap: association?.clientSap ?? PUBLIC_CLIENT_SAP,
      serverSap: SERVER_SAP,
      objects,
      conformance: association?.conformance ?? [],
      maxPduSize,
      securitySetup: NO_SECURITY_SETUP,
      contextName: octets(encode(applicationContext, association?.rule.ciphered === true ? 'lnCiphered' : 'ln')),
      mechanismName: octets(encode(mechanismName, MECHANISM_NAMES[association?.rule.mechanism ?? 'none'])),
    });
  const { read: _read, ...itself } = viewed();
  return { ...itself, read: (attributeId, selection, association) => viewed(association).read(attributeId, selection) };
}

/**
 * A small meter for trials: clock, registers, quarter-hourly energy, relay and image transfer. Each connection gets a separate logical
 * device over shared objects.
 */
export function demoMeter(options: DemoMeterOptions): () => LogicalDevice {
  const { cipher, keys, password, systemTitle, maxPduSize, generalBlockTransfer } = options;
  const clock = new DemoClock(() => options.now());
  const accepted = new Map<string, number>();
  // A random start: the counter is not stored, and must not restart below earlier values.
  let sent = cipher.random(3).reduce((number, octet) => number * 0x100 + octet, 0);
  const objects: DescribedObject[] = [
    plainObject([1, 0, LDN], { 2: () => text(`HES${options.serial.padStart(13, '0')}`) }),
    plainObject([1, 0, obis('0.0.96.1.0.255')], { 2: () => text(options.serial) }),
    plainObject([1, 0, obis('1.0.0.2.0.255')], { 2: () => text('HES-DEMO-1') }),
    plainObject([1, 0, COUNTER], { 2: () => doubleLongUnsigned(Math.max(0, ...accepted.values())) }),
    plainObject([1, 0, obis('0.0.96.10.1.255')], { 2: () => unsigned(0) }),
    notes(),
    clock.object,
    register('1.0.1.8.0.255', () => doubleLongUnsigned(energyAt(clock.now())), scalerUnit(0, WATT_HOUR)),
    register('1.0.32.7.0.255', () => longUnsigned(2301), scalerUnit(-1, VOLT)),
    demoProfile(options.now(), options.days),
    relay(),
    new DemoImage().object,
    plainObject([17, 0, obis('0.0.41.0.0.255')], { 2: () => array([structure(longUnsigned(1), octets(systemTitle))]) }),
  ];
  objects.push(associationOf(() => objects, maxPduSize));
  const byKey = new Map(objects.map((object) => [objectKey(object.classId, object.instance), object]));
  const rules = rulesOf(options);
  return () =>
    new LogicalDevice({
      objects: byKey,
      systemTitle,
      ...(keys === undefined ? {} : { keys }),
      cipher,
      rules,
      maxPduSize,
      ...(generalBlockTransfer === undefined ? {} : { generalBlockTransfer }),
      counters: {
        next: () => sent++,
        last: (title) => accepted.get(toHex(title)) ?? -1,
        accept: (title, counter) => void accepted.set(toHex(title), counter),
      },
    });

  function rulesOf({ keys: own }: DemoMeterOptions): ReadonlyMap<number, ClientRule> {
    const open: [number, ClientRule][] = [
      [16, publicClient([LDN, COUNTER, CLOCK])],
      [2, { mechanism: 'none', ciphered: false }],
    ];
    if (password !== undefined) {
      const proofs = { 3: 'low', 5: 'hlsMd5', 6: 'hlsSha1', 7: 'hlsSha256', 9: 'hls' } as const;
      for (const [sap, mechanism] of Object.entries(proofs))
        if (mechanism !== 'hls' || password.length <= HIGH_CHALLENGE_SIZE)
          open.push([Number(sap), { mechanism, ciphered: false, password }]);
    }
    if (own !== undefined) open.push([1, { mechanism: 'hlsGmac', ciphered: true }], [4, { mechanism: 'hlsGmac', ciphered: false }]);
    return new Map(open);
  }
}
