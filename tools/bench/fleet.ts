import { encode } from '@hes/dlms/codec/codec.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';

/** The fleet of W1: the same keys, names and values on both sides of the wire, derived from the meter's number. */
export const HES_TITLE = Buffer.from('HESBENCH');
export const SLOTS = 96;
export const CHANNELS = ['e_plus_wh', 'e_minus_wh', 'p_avg_plus_w', 'p_avg_minus_w'] as const;
const DAY_MS = 86_400_000;
const QUARTER_MS = DAY_MS / SLOTS;

export const DCU_SN = (dcu: number): string => `BENCH${String(dcu).padStart(5, '0')}`;
export const meterSn = (index: number): string => `B${String(index).padStart(9, '0')}`;

export function meterTitle(index: number): Uint8Array {
  const title = Buffer.from('BEN\0\0\0\0\0', 'latin1');
  title.writeUInt32BE(index, 4);
  return title;
}

/** One pair of keys for all meters: the cost of ciphering does not depend on the key. */
const KEYS = { ek: Uint8Array.from({ length: 16 }, (_, i) => i * 3 + 1), ak: Uint8Array.from({ length: 16 }, (_, i) => i * 5 + 2) };
export const meterKeys = (_index: number) => KEYS;

/** A narrow channel: each DCU is a token bucket, and lost frames are not repeated by the channel. */
export interface Air {
  bitsPerSecond: number;
  roundTripMs: number;
  /** Share of lost frames, in either direction. */
  lost: number;
  /** One meter in this many never responds. */
  deadEvery: number;
}

/** Unresponsive meters are identified by their number, so both sides know them. */
export const isDead = (index: number, deadEvery: number): boolean => deadEvery > 0 && index % deadEvery === 0;

/** The value that a meter captured in a slot. */
export const valueOf = (index: number, slot: number, channel: number): number =>
  channel < 2 ? index * 1000 + slot * 100 + channel : (index * 31 + slot * 17 + channel) % 5000;

const ROW_OCTETS = 2 + 14 + 2 + CHANNELS.length * 5;
const HEADER = 2;

const template = new Map<number, Uint8Array>();

/** The slot before the day: its row is stored already, and the head-end compares it with that of the meter. */
export const STORED_SLOT = -1;
const ROWS = SLOTS + 1;

/** The stored row and 96 rows of clock, status and four channels, fully tagged. */
export function profileOctets(index: number, day: number): Uint8Array {
  let rows = template.get(day);
  if (rows === undefined) template.set(day, (rows = templateOf(day)));
  const octets = rows.slice();
  const view = new DataView(octets.buffer);
  for (let row = 0; row < ROWS; row++) {
    const slot = row + STORED_SLOT;
    for (let c = 0; c < CHANNELS.length; c++) view.setUint32(HEADER + row * ROW_OCTETS + 2 + 14 + 2 + c * 5 + 1, valueOf(index, slot, c));
  }
  return octets;
}

function templateOf(day: number): Uint8Array {
  const octets = new Uint8Array(HEADER + ROWS * ROW_OCTETS);
  octets.set([0x01, ROWS]);
  for (let row = 0; row < ROWS; row++) {
    const slot = row + STORED_SLOT;
    const at = HEADER + row * ROW_OCTETS;
    octets.set([0x02, 2 + CHANNELS.length, 0x09, 12], at);
    octets.set(encode(dateTimeCodec, fromEpochMs(day * DAY_MS + slot * QUARTER_MS, 0)), at + 4);
    octets.set([0x11, 0], at + 16);
    for (let c = 0; c < CHANNELS.length; c++) octets[at + 18 + c * 5] = 0x06;
  }
  return octets;
}

/** Moments at which the cached metadata of meters was last verified. */
export const marksOf = (now: number): Record<string, number> => ({ 'checked:1.0.99.1.0.255': now });

/** Cached metadata of the meters in the form of the product: the capture objects with their scalers. */
export function memoryOf(): [key: string, value: unknown][] {
  const captured = [
    { classId: 8, instance: '0.0.1.0.0.255', attributeId: 2, dataIndex: 0 },
    { classId: 1, instance: '0.0.96.10.1.255', attributeId: 2, dataIndex: 0 },
    { classId: 3, instance: '1.0.1.8.0.255', attributeId: 2, dataIndex: 0 },
    { classId: 3, instance: '1.0.2.8.0.255', attributeId: 2, dataIndex: 0 },
    { classId: 5, instance: '1.0.1.4.0.255', attributeId: 3, dataIndex: 0 },
    { classId: 5, instance: '1.0.2.4.0.255', attributeId: 3, dataIndex: 0 },
  ];
  const scaler = (classId: number, instance: string, unit: number): [string, unknown] => [
    `scaler:${classId}/${instance}`,
    { scaler: 0, unit },
  ];
  return [
    ['profile:1.0.99.1.0.255', { columns: captured, periodSeconds: 900 }],
    scaler(3, '1.0.1.8.0.255', 30),
    scaler(3, '1.0.2.8.0.255', 30),
    scaler(5, '1.0.1.4.0.255', 27),
    scaler(5, '1.0.2.4.0.255', 27),
  ];
}
