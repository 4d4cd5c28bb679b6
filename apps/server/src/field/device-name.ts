import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { PUBLIC_CLIENT_SAP } from '@hes/dlms/association/server-options.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { data } from '@hes/dlms/cosem/classes/data.ts';
import { octetString } from '@hes/dlms/cosem/data.ts';
import { attributeRef, type CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import { decodedAnswer } from './decoded.ts';
import type { Device } from './devices.ts';
import type { DeviceLink } from './link.ts';
import { STANDARD_OBJECTS } from './object-map.ts';
import { NO_QUIRKS, type Quirks } from './quirks.ts';

const PUBLIC_PDU_SIZE = 512;
const SERVER_SAP = 1;
/** A serial number of this length does not end another one by chance. */
const LONG_SERIAL = 6;
/** Characters of the manufacturer in front of a logical device name. */
const MANUFACTURER_CODE = 3;

/** A meter for the public client, which needs no keys. It has no row, so no state of it is stored. */
export const createPublicDevice = (id: string, sn: string, address: Uint8Array | undefined, hasShortNames = false): Device => ({
  kind: 'dcu',
  id,
  sn,
  address,
  clientSap: PUBLIC_CLIENT_SAP,
  serverSap: SERVER_SAP,
  access: { mechanism: 'none' },
  systemTitle: undefined,
  suite: 0,
  isCiphered: false,
  isPreEstablished: false,
  hasShortNames,
  quirks: NO_QUIRKS,
  keys: undefined,
  maxPduSize: PUBLIC_PDU_SIZE,
  peerCounter: -1,
  ownMark: 0,
  provedCounter: 0,
  objectMap: STANDARD_OBJECTS,
  runningLinks: 0,
});

/** Reads a Data object whose value is a text in an octet string. */
export async function readText(link: DeviceLink, object: CosemObject<typeof data>): Promise<Outcome<string>> {
  const read = decodedAnswer(octetString, await link.get(attributeRef(object, 'value')));
  return read.ok ? ok(Buffer.from(read.value).toString('latin1')) : read;
}

/** Reads the logical device name. */
export const readDeviceName = (link: DeviceLink): Promise<Outcome<string>> => readText(link, WELL_KNOWN.LDN);

/** The logical device name and the serial number of a device, as far as it returns them. */
export async function readSerialNames(link: DeviceLink): Promise<string[]> {
  const name = await readDeviceName(link);
  const serial = await readText(link, WELL_KNOWN.SN);
  return [name, serial].flatMap((read) => (read.ok ? read.value.trim() : [])).filter((text) => text !== '');
}

/**
 * Whether a logical device name belongs to the meter with this serial number. It ends with the serial number, after the manufacturer code and
 * sometimes a type. A short serial number must not follow other digits, because 112 ends with 12. Names of the quirk `ldn_short` may have
 * the last six or more characters of the serial number only.
 */
export function isNameOf(name: string, sn: string, quirks: Quirks = NO_QUIRKS): boolean {
  const [named, serial] = [name.trim().toUpperCase(), sn.trim().toUpperCase()];
  if (!named.endsWith(serial)) return quirks.has('ldn_short') && isShortNameOf(named, serial);
  return serial.length >= LONG_SERIAL || !/[1-9]0*$/.test(named.slice(0, named.length - serial.length));
}

/** A short name has only the end of the serial number after the code of the manufacturer. @spec BB 4 (logical device name) */
function isShortNameOf(name: string, sn: string): boolean {
  const end = name.slice(MANUFACTURER_CODE);
  return end.length >= LONG_SERIAL && sn.endsWith(end);
}

/** Checks that the logical device name of a DCU is its serial number. */
export async function checkDcuName(link: DeviceLink, sn: string): Promise<Outcome<void>> {
  const name = await readDeviceName(link);
  if (!name.ok) return name;
  return name.value === sn ? ok(undefined) : failed('AUTH_FAILED', `The logical device name is ${name.value}`);
}

/**
 * Checks the identity of a meter without HLS by its logical device name or, where the name lacks the serial number, by its serial number
 * object. Fails with IDENTITY_MISMATCH and the names that the meter returned, or with AUTH_FAILED when it refuses to return any: then it is
 * not known which meter responded.
 */
export async function checkIdentity(link: DeviceLink, sn: string): Promise<Outcome<void>> {
  const { quirks } = link.device;
  const name = await readDeviceName(link);
  if (name.ok && isNameOf(name.value, sn, quirks)) return ok(undefined);
  const isRefusal = !name.ok && (name.reason === 'OBJECT_UNDEFINED' || name.reason === 'ACCESS_DENIED');
  if (!name.ok && !isRefusal) return name;
  const serial = await readText(link, WELL_KNOWN.SN);
  if (serial.ok && isNameOf(serial.value, sn)) return ok(undefined);
  if (!serial.ok && serial.reason !== 'OBJECT_UNDEFINED' && serial.reason !== 'ACCESS_DENIED') return serial;
  const said = [name, serial].flatMap((one) => (one.ok ? one.value : [])).join(', ');
  return said === '' ? failed('AUTH_FAILED', 'The meter refuses to say its name') : failed('IDENTITY_MISMATCH', said);
}
