import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { Mechanism } from '@hes/dlms/security/hls.ts';
import { octetsOfText, titleOf } from './opening.ts';
import { UsageError } from './usage-error.ts';

/** `parseArgs` options of every command that connects to a meter. */
export const METER_OPTIONS = {
  client: { type: 'string' },
  server: { type: 'string' },
  auth: { type: 'string' },
  password: { type: 'string' },
  ek: { type: 'string' },
  ak: { type: 'string' },
  title: { type: 'string' },
  'meter-title': { type: 'string' },
  counter: { type: 'string' },
  'counter-object': { type: 'string' },
  plain: { type: 'boolean' },
  gateway: { type: 'string' },
  'gateway-network': { type: 'string' },
  hdlc: { type: 'boolean' },
  udp: { type: 'boolean' },
  physical: { type: 'string' },
  'address-size': { type: 'string' },
  pdu: { type: 'string' },
  timeout: { type: 'string' },
} as const;

export const METER_HELP = `Options of the connection:
  --client N          client SAP: 16 public (default without keys), 1 management (default otherwise)
  --server N          server SAP, default 1
  --auth none|low|hls|md5|sha1|gmac|sha256  default none, gmac with keys; gmac requires --ek and --ak, the others --password
  --password TEXT     password, or secret of hls (at most 16 octets), md5, sha1, sha256; hex:… for octets
  --ek HEX --ak HEX   encryption and authentication key; services are ciphered unless --plain
  --title HEX         our system title, 8 octets; default 4845530000000001
  --meter-title HEX   the only meter title accepted
  --counter N         the next invocation counter; by default read from the meter
  --counter-object OBIS  where the public client reads it, default 0.0.43.1.0.255
  --gateway ADDRESS   the meter behind a DCU, as text or hex:…; --gateway-network N, default 0
  --hdlc              HDLC instead of wrapper frames; --physical N the physical device, --address-size 1|2|4 octets of its address
  --udp               wrapper frames in UDP datagrams instead of TCP
  --pdu N             largest APDU we accept, default 1024
  --timeout SECONDS   response timeout, default 10`;

export type MeterValues = Partial<Record<Exclude<keyof typeof METER_OPTIONS, 'plain' | 'hdlc' | 'udp'>, string>> & {
  plain?: boolean;
  hdlc?: boolean;
  udp?: boolean;
};

export interface MeterTarget {
  host: string;
  port: number;
  clientSap: number;
  serverSap: number;
  mechanism: Mechanism;
  ciphered: boolean;
  password: Uint8Array | undefined;
  keys: { ek: Uint8Array; ak: Uint8Array } | undefined;
  systemTitle: Uint8Array;
  meterTitle: Uint8Array | undefined;
  /** Undefined: read it from the meter. */
  counter: number | undefined;
  counterObject: Obis;
  gateway: { networkId: number; address: Uint8Array } | undefined;
  hdlc: { physicalAddress: number | undefined; addressSize: 1 | 2 | 4 | undefined } | undefined;
  udp: boolean;
  maxPduSize: number;
  timeoutMs: number;
}

const PUBLIC_CLIENT = 16;
const MANAGEMENT_CLIENT = 1;
const MECHANISMS: Readonly<Record<string, Mechanism>> = {
  none: 'none',
  low: 'low',
  hls: 'hls',
  md5: 'hlsMd5',
  sha1: 'hlsSha1',
  gmac: 'hlsGmac',
  sha256: 'hlsSha256',
};
const HES_TITLE = '4845530000000001';

/** Parses an integer within bounds. Throws `UsageError`. */
export function wholeNumber(name: string, text: string, [min, max]: readonly [number, number]): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`${name}: "${text}" is not a number between ${min} and ${max}`, `write --${name} ${min}`);
}

const numberOr = (name: string, text: string | undefined, otherwise: number, bounds: readonly [number, number]): number =>
  text === undefined ? otherwise : wholeNumber(name, text, bounds);

/** Octets of a text, or of hex after `hex:`. */
const textOctets = (name: string, text: string): Uint8Array =>
  text.startsWith('hex:') ? octetsOfText(name, text.slice(4)) : new TextEncoder().encode(text);

function keysOf({ ek, ak }: MeterValues): MeterTarget['keys'] {
  if (ek === undefined && ak === undefined) return undefined;
  if (ek === undefined || ak === undefined) throw new UsageError('only one key', 'give both --ek and --ak');
  return { ek: octetsOfText('ek', ek), ak: octetsOfText('ak', ak) };
}

function hdlcOf({ hdlc, udp, physical, 'address-size': size }: MeterValues): MeterTarget['hdlc'] {
  if (hdlc !== true) {
    if (physical === undefined && size === undefined) return undefined;
    throw new UsageError('--physical and --address-size belong to HDLC', 'give --hdlc, too');
  }
  if (udp === true) throw new UsageError('--hdlc and --udp', 'HDLC requires a connection: give one of them');
  const addressSize = size === undefined ? undefined : ([1, 2, 4] as const).find((octets) => String(octets) === size);
  if (size !== undefined && addressSize === undefined)
    throw new UsageError(`an address cannot have ${size} octets`, 'write --address-size 1, 2 or 4');
  return { physicalAddress: physical === undefined ? undefined : wholeNumber('physical', physical, [0, 16_383]), addressSize };
}

/** `host`, `host:port` or `[v6]:port`. */
function hostAndPort(target: string): { host: string; port: number } {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(target) ?? [];
  const host = v6 ?? name;
  if (host === undefined) throw new UsageError(`"${target}" is not a host`, 'write host or host:port, such as 127.0.0.1:4059');
  return { host, port: port === undefined ? WRAPPER_PORT : wholeNumber('port', port, [1, 65_535]) };
}

/** Parses address, association and transport options. Throws `UsageError`. */
export function meterTarget(target: string | undefined, values: MeterValues): MeterTarget {
  if (target === undefined) throw new UsageError('which meter?', 'name its host first, such as 127.0.0.1:4059');
  const keys = keysOf(values);
  const mechanism = MECHANISMS[values.auth ?? (keys === undefined ? 'none' : 'gmac')];
  if (mechanism === undefined)
    throw new UsageError(`unknown mechanism "${values.auth}"`, 'use --auth none, low, hls, md5, sha1, gmac or sha256');
  if (mechanism === 'hlsGmac' && keys === undefined) throw new UsageError('gmac requires keys', 'give --ek and --ak');
  if (mechanism !== 'none' && mechanism !== 'hlsGmac' && values.password === undefined)
    throw new UsageError(`${values.auth} requires a password`, 'give --password');
  const byDefault = mechanism === 'none' ? PUBLIC_CLIENT : MANAGEMENT_CLIENT;
  return {
    ...hostAndPort(target),
    clientSap: numberOr('client', values.client, byDefault, [0, 65_535]),
    serverSap: numberOr('server', values.server, 1, [0, 65_535]),
    mechanism,
    ciphered: keys !== undefined && values.plain !== true,
    password: values.password === undefined ? undefined : textOctets('password', values.password),
    keys,
    systemTitle: titleOf(values.title ?? HES_TITLE),
    meterTitle: values['meter-title'] === undefined ? undefined : titleOf(values['meter-title']),
    counter: values.counter === undefined ? undefined : wholeNumber('counter', values.counter, [0, 0xffff_ffff]),
    counterObject: obisOf(values['counter-object'] ?? '0.0.43.1.0.255'),
    gateway:
      values.gateway === undefined
        ? undefined
        : {
            networkId: numberOr('gateway-network', values['gateway-network'], 0, [0, 255]),
            address: textOctets('gateway', values.gateway),
          },
    hdlc: hdlcOf(values),
    udp: values.udp === true,
    maxPduSize: numberOr('pdu', values.pdu, 1024, [64, 65_535]),
    timeoutMs: numberOr('timeout', values.timeout, 10, [1, 3600]) * 1000,
  };
}

/** Parses a logical name. Throws `UsageError`. */
export function obisOf(text: string): Obis {
  try {
    return obis(text);
  } catch {
    throw new UsageError(`"${text}" is not a logical name`, 'write six numbers, such as 1.0.1.8.0.255');
  }
}

/** Parses `3/1.0.1.8.0.255/2`, or the name of a well-known object such as `E_PLUS`; the attribute defaults to 2. Throws `UsageError`. */
export function attributeOf(text: string | undefined): { classId: number; instance: Obis; attributeId: number } {
  if (text === undefined) throw new UsageError('which attribute?', 'write class/name/attribute, such as 3/1.0.1.8.0.255/2, or E_PLUS');
  const [first = '', second, third] = text.split('/');
  if (first in WELL_KNOWN) {
    const { cosemClass, instance } = WELL_KNOWN[first as WellKnownKey]; // as: checked in the line above
    return { classId: cosemClass.id, instance, attributeId: numberOr('attribute', second, 2, [-128, 127]) };
  }
  if (second === undefined)
    throw new UsageError(`"${text}" names no attribute`, 'write class/name/attribute, such as 3/1.0.1.8.0.255/2, or E_PLUS');
  return {
    classId: wholeNumber('class', first, [0, 65_535]),
    instance: obisOf(second),
    attributeId: numberOr('attribute', third, 2, [-128, 127]),
  };
}
