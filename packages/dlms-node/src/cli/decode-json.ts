import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { dateTimeCodec, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeAnnouncement } from '@hes/dlms/framing/announcement.ts';
import { isHdlc, isMbus } from '@hes/dlms/framing/annotate-wire.ts';
import { WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { apduShape, readInner, type Open } from './apdu-shape.ts';
import { dataShape, hexOctet } from './data-shape.ts';
import { openerOf, type KeyTexts } from './opening.ts';
import { UsageError } from './usage-error.ts';

export const MESSAGE_KINDS = ['pdu', 'wrapper', 'hdlc', 'mbus', 'data', 'datetime'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

const WRAPPER_HEADER = 8;

/** The only frame of an octet string. Throws `DecodeError` when it is broken, incomplete or followed by more. */
export function onlyFrame(octets: Uint8Array) {
  const deframer = new WrapperDeframer();
  const [frame, ...more] = deframer.push(octets);
  const where = { offset: octets.length, path: 'wrapper' };
  if (frame === undefined) throw new DecodeError({ code: 'TRUNCATED', needed: missingOctets(octets), left: 0 }, where);
  const left = octets.length - frame.octets.length;
  if (more.length > 0 || left > 0) throw new DecodeError({ code: 'TRAILING_BYTES', left }, { ...where, offset: frame.octets.length });
  return frame;
}

const missingOctets = (octets: Uint8Array): number =>
  octets.length < WRAPPER_HEADER
    ? WRAPPER_HEADER - octets.length
    : WRAPPER_HEADER + (((octets[6] ?? 0) << 8) | (octets[7] ?? 0)) - octets.length;

/**
 * Guesses the kind of a message: a wrapper frame begins with version 1, HDLC frames with a flag, and M-Bus frames with a length between
 * two start octets. No APDU begins with a zero, with 7E or with 68 and two equal octets before another 68.
 */
export function kindOf(octets: Uint8Array): MessageKind {
  if (isHdlc(octets)) return 'hdlc';
  if (isMbus(octets)) return 'mbus';
  return octets[0] === 0 && octets[1] === 1 ? 'wrapper' : 'pdu';
}

const digits = (value: number | null, size: number): string => String(value ?? 0).padStart(size, '0');

/** A date-time as encoded, and as UTC where it can be computed. */
function dateTimeShape(octets: Uint8Array): object {
  const time = decode(dateTimeCodec, octets);
  const day = `${digits(time.year, 4)}-${digits(time.month, 2)}-${digits(time.day, 2)}`;
  const epochMs = toEpochMs(time);
  return {
    local: `${day}T${digits(time.hour, 2)}:${digits(time.minute, 2)}:${digits(time.second, 2)}.${digits(time.hundredths, 2)}`,
    deviationMinutes: time.deviationMinutes,
    status: time.status === null ? null : hexOctet(time.status),
    utc: epochMs === null ? null : new Date(epochMs).toISOString(),
  };
}

/** A message as plain JSON. Throws `DecodeError`. */
export function messageShape(kind: MessageKind, octets: Uint8Array, open: Open): unknown {
  if (kind === 'data') return dataShape(decode(dataCodec, octets));
  if (kind === 'datetime') return dateTimeShape(octets);
  if (kind === 'pdu') return apduShape(octets, open);
  if (kind !== 'wrapper') {
    const { source, destination, apdu } = decodeAnnouncement(octets);
    const pdu = apduShape(apdu, open);
    return kind === 'hdlc' ? { hdlc: { source, destination }, pdu } : { mbus: { source, destination }, pdu };
  }
  const frame = onlyFrame(octets);
  const wrapper = { src: frame.source, dst: frame.destination, length: frame.apdu.length };
  return { wrapper, pdu: readInner('pdu', WRAPPER_HEADER, () => apduShape(frame.apdu, open)) };
}

/** An error for programs: always these three fields. */
export function errorShape(error: unknown): { error: { code: string; offset: number; path: string } } {
  if (error instanceof DecodeError) return { error: { code: error.fault.code, offset: error.offset, path: error.path } };
  if (error instanceof UsageError) return { error: { code: 'BAD_INPUT', offset: 0, path: '' } };
  throw error;
}

/**
 * Decodes a line of input: hex, optionally followed by a JSON object with keys and kind. Faults of the line itself are reported through
 * `complain`.
 */
export function decodeLine(line: string, complain: (why: string) => void): unknown {
  const brace = line.indexOf('{');
  const hex = (brace < 0 ? line : line.slice(0, brace)).trim();
  try {
    const { kind, ...keys } = brace < 0 ? {} : optionsOf(line.slice(brace));
    const octets = octetsOfLine(hex);
    return messageShape(kind ?? kindOf(octets), octets, openerOf(keys));
  } catch (error) {
    if (error instanceof UsageError) complain(error.message);
    return errorShape(error);
  }
}

function octetsOfLine(hex: string): Uint8Array {
  try {
    return fromHex(hex);
  } catch {
    throw new UsageError('not an even number of hex digits', 'write one message in hex on each line');
  }
}

function optionsOf(text: string): KeyTexts & { kind?: MessageKind } {
  const options = parseJson(text);
  if (options === null || typeof options !== 'object') throw new UsageError('not a JSON object behind the hex', 'write {"kind":"pdu"}');
  const texts: Record<string, unknown> = { ...options };
  const { kind } = texts;
  if (kind !== undefined && !MESSAGE_KINDS.some((known) => known === kind))
    throw new UsageError(`unknown kind ${String(kind)}`, `use ${MESSAGE_KINDS.join(', ')}`);
  for (const name of ['ek', 'ak', 'dk', 'systemTitle']) {
    if (texts[name] !== undefined && texts[name] !== null && typeof texts[name] !== 'string')
      throw new UsageError(`${name} is no text`, 'write hex');
    if (texts[name] === null) delete texts[name];
  }
  return texts as KeyTexts & { kind?: MessageKind }; // as: checked above
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('no valid JSON behind the hex', 'write {"kind":"pdu","ek":"…"}');
  }
}
