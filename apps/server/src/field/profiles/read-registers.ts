import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, DATE_TIME_SIZE, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { decoded } from '../decoded.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import type { ReadingItemRow } from '../queries.ts';
import { hasScaler, scaleValue, scalerRefs, scalingOf, updateScaler, type Scaling } from './scalers.ts';

/** Objects per request, each with its scaler; more exceed the PDU of small meters. */
const ITEMS_PER_REQUEST = 12;
const PRINTABLE = /^[\x20-\x7e]*$/;

export interface RegistersQuery {
  items: ReadingItemRow[];
  /** Time of the read, epoch milliseconds. */
  now: number;
  /** Deviation of clocks that do not state one. Minutes. */
  deviationMinutes: number;
  /** Receives changes of scalers as lines of an event. */
  onChanged?(changes: string[]): void;
}

/** Register values with all bits set, by type. */
const FULL: Partial<Record<Data['type'], number | bigint>> = {
  long64Unsigned: 2n ** 64n - 1n,
  doubleLongUnsigned: 0xffff_ffff,
  longUnsigned: 0xffff,
};

/** Whether a register has no value, or one that a double does not hold exactly. */
const isOutOfRange = (item: Pick<ReadingItemRow, 'classId'>, type: Data['type'], value: number | bigint): boolean =>
  (hasScaler(item) && FULL[type] === value) || !(Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER);

/** Reads the present values of objects. Fails when the link fails, and when no object could be read. */
export async function readRegisters(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  query: RegistersQuery,
): Promise<Outcome<ReadValue[]>> {
  const read = await readEach(link, device, devices, query);
  return read.ok ? unlessNone(read.value) : read;
}

/** Fails with the reason of the first value when no value could be read. */
export function unlessNone(values: ReadValue[]): Outcome<ReadValue[]> {
  const reason = values.every((value) => value.reasonCode !== null) ? values[0]?.reasonCode : undefined;
  return reason == null ? ok(values) : failed(reason as ReasonCode); // as: set by refused()
}

/** Reads objects with separate outcomes; a missing one does not fail the others. Fails only when the link fails. */
export async function readEach(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  query: RegistersQuery,
): Promise<Outcome<ReadValue[]>> {
  const refs = query.items.map((item) => ({
    item,
    ref: { classId: item.classId, instance: obis(item.obis), attributeId: item.attribute },
  }));
  const values: ReadValue[] = [];
  const changes: string[] = [];
  for (let at = 0; at < refs.length; at += ITEMS_PER_REQUEST) {
    const chunk = refs.slice(at, at + ITEMS_PER_REQUEST);
    // Value and scaler are read in one request, because the scaler may change between two requests.
    const scalers = scalerRefs(chunk.map(({ ref }) => ref));
    const read = await link.getList([...chunk, ...scalers].map(({ ref }) => ref));
    if (!read.ok) return read;
    const scalings = read.value.slice(chunk.length);
    changes.push(
      ...scalers.flatMap(({ object }, index) => updateScaler(device, devices, { object, read: scalings[index], now: query.now })),
    );
    chunk.forEach(({ item, ref }, index) => {
      const outcome = read.value[index] ?? failed('BAD_ANSWER');
      const scaling = scalingOf(device.metadata, ref);
      values.push(outcome.ok ? valueOf(item, outcome.value, scaling, query) : refused(item, outcome.reason));
    });
  }
  if (changes.length > 0) {
    // A changed scaler of a register may affect its profiles, too.
    devices.requireRecheck(device);
    query.onChanged?.(changes);
  }
  return ok(values);
}

const emptyValue = (item: ReadingItemRow) => ({
  item: item.key,
  obis: item.obis,
  value: null,
  unit: '',
  at: null,
  raw: null,
  scaler: null,
  reasonCode: null,
});

export const refused = (item: ReadingItemRow, reasonCode: ReasonCode): ReadValue => ({ ...emptyValue(item), reasonCode });

/** Decodes a value for display and storage. */
export function valueOf(item: ReadingItemRow, octets: Uint8Array, scaling: Scaling | undefined, query: RegistersQuery): ReadValue {
  const at = new Date(query.now).toISOString();
  const read = decoded(dataCodec, octets);
  if (!read.ok) return refused(item, read.reason);
  const { value: data } = read;
  const base = { ...emptyValue(item), at, raw: toHex(octets) };
  if (item.classId === clock.id) return { ...base, value: clockText(data, query.deviationMinutes) };
  switch (data.type) {
    case 'null':
    case 'dontCare':
      return base;
    case 'long64':
    case 'long64Unsigned':
    case 'doubleLong':
    case 'doubleLongUnsigned':
    case 'bcd':
    case 'integer':
    case 'long':
    case 'unsigned':
    case 'longUnsigned':
    case 'float32':
    case 'float64':
    case 'enum':
      if (isOutOfRange(item, data.type, data.value)) return { ...base, raw: String(data.value), reasonCode: 'OUT_OF_RANGE' };
      return {
        ...base,
        raw: String(data.value),
        scaler: scaling?.scaler ?? null,
        value: scaleValue(data.value, scaling?.scaler ?? 0),
        unit: scaling === undefined ? '' : unitSymbol(scaling.unit),
      };
    case 'visibleString':
    case 'utf8String':
    case 'bitString':
      return { ...base, value: data.value };
    case 'boolean':
      return { ...base, value: String(data.value) };
    case 'octetString':
      return { ...base, value: octetText(data.value) };
    default:
      return { ...base, value: toHex(octets) };
  }
}

/** Printable octets, such as serial numbers, as text; others in hex. */
function octetText(octets: Uint8Array): string {
  const text = Buffer.from(octets).toString('latin1');
  return PRINTABLE.test(text) ? text : toHex(octets);
}

function clockText(data: Data, deviationMinutes: number): string | null {
  if (data.type !== 'octetString' && data.type !== 'dateTime') return null;
  if (data.value.length !== DATE_TIME_SIZE) return toHex(data.value);
  const epoch = toEpochMs(decode(dateTimeCodec, data.value), deviationMinutes);
  return epoch === null ? toHex(data.value) : new Date(epoch).toISOString();
}
