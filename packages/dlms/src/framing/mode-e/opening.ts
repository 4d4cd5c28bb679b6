import { DecodeError } from '../../codec/decode-error.ts';
import { joinOctets } from '../../security/cipher.ts';
import { decodeIdentification, MODE_E_BAUDS, textOf, withParity, type ModeEIdentification } from './identification.ts';

/** A step that the driver of a serial port performs. */
export type ModeEStep =
  /** Done when the octets have left the port. */
  | { type: 'send'; octets: Uint8Array }
  | { type: 'pause'; ms: number }
  /** Eight data bits, no parity, one stop bit. */
  | { type: 'baud'; baud: number }
  /** Hands in the octets that arrive next; none after this time without any. */
  | { type: 'receive'; timeoutMs: number };

export type ModeEErrorCode =
  /** The meter did not answer the call. */
  | 'NO_ANSWER'
  /** The answer is no identification. */
  | 'NOT_IDENTIFIED'
  /** The meter does not offer HDLC. */
  | 'NOT_MODE_E'
  /** The meter did not confirm the change to HDLC. */
  | 'NOT_CONFIRMED';

export class ModeEError extends Error {
  readonly code: ModeEErrorCode;

  constructor(code: ModeEErrorCode, detail: string, options: { cause?: unknown } = {}) {
    super(`${code}: ${detail}`, options);
    this.name = 'ModeEError';
    this.code = code;
  }
}

export interface ModeEOptions {
  /** Address of one of several meters on a line, up to 32 characters; empty for the only one. */
  address?: string | undefined;
  /** Highest baud of the optical head. Defaults to what the meter offers. */
  maxBaud?: number | undefined;
  /** Milliseconds until the first octet of the identification, and between octets; defaults to 3000, twice the longest reaction time of the standard. */
  timeoutMs?: number | undefined;
}

/** Result of an opening. */
export interface ModeEOpening extends ModeEIdentification {
  agreedBaud: number;
}

const CALLING_BAUD = 300;
const TIMEOUT_MS = 3000;
/** Longest time without an octet while the meter confirms; meters that confirm nothing cost this time. */
const CONFIRMATION_MS = 1000;
const MOST_IDENTIFICATION = 128;
/** Acknowledge, protocol control character 2 (HDLC), baud rate character, mode control character 2 (binary). */
const acknowledgement = (character: string): string => `\x062${character}2\r\n`;

type Opening<T> = Generator<ModeEStep, T, Uint8Array>;

/**
 * Opens HDLC on the optical port of a meter: calls it at 300 baud, reads its identification, agrees on baud and protocol, and changes both.
 * Afterwards the port carries HDLC frames. The port has eight data bits without parity throughout, because parity is in the octets.
 * Ends with `ModeEError`. Without I/O: the driver performs the steps and hands in the received octets.
 * @spec IEC 62056-21 (mode E)
 */
export function* openModeE({ address = '', maxBaud = Infinity, timeoutMs = TIMEOUT_MS }: ModeEOptions = {}): Opening<ModeEOpening> {
  const request = `/?${address}!\r\n`;
  yield { type: 'baud', baud: CALLING_BAUD };
  yield { type: 'send', octets: withParity(request) };
  const { line, echoes } = yield* receiveIdentification(request, timeoutMs);
  const meter = identificationOf(line);
  const [character, agreedBaud] = baudFor(Math.min(meter.baud, maxBaud));
  yield { type: 'pause', ms: meter.reactionMs };
  yield { type: 'send', octets: withParity(acknowledgement(character)) };
  yield { type: 'pause', ms: meter.reactionMs };
  yield { type: 'baud', baud: agreedBaud };
  yield* receiveConfirmation(acknowledgement(character), echoes);
  return { ...meter, agreedBaud };
}

function identificationOf(line: Uint8Array): ModeEIdentification {
  try {
    const meter = decodeIdentification(line);
    if (meter.isModeE) return meter;
    throw new ModeEError('NOT_MODE_E', `${meter.manufacturer} ${meter.identification} does not offer HDLC`);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new ModeEError('NOT_IDENTIFIED', error.message, { cause: error });
  }
}

/** The fastest baud that both sides have. Throws `RangeError` below 300. */
function baudFor(limit: number): [character: string, baud: number] {
  const fitting = Object.entries(MODE_E_BAUDS).filter(([, baud]) => baud <= limit);
  const fastest = fitting.at(-1);
  if (fastest === undefined) throw new RangeError(`No baud of mode E is at most ${limit}`);
  return fastest;
}

/** Receives up to the end of the identification. Some optical heads echo the request before it. */
function* receiveIdentification(request: string, timeoutMs: number): Opening<{ line: Uint8Array; echoes: boolean }> {
  let received: Uint8Array = new Uint8Array(0);
  for (;;) {
    const chunk = yield { type: 'receive', timeoutMs };
    if (chunk.length === 0) throw new ModeEError('NO_ANSWER', `no identification within ${timeoutMs} ms`);
    received = joinOctets([received, chunk]);
    const text = textOf(received);
    const echoes = text.includes(request);
    const from = text.indexOf('/', echoes ? text.indexOf(request) + request.length : 0);
    const isRequest = from >= 0 && request.startsWith(text.slice(from));
    const end = from < 0 || isRequest ? -1 : text.indexOf('\r\n', from);
    if (end >= 0) return { line: received.subarray(from, end + 2), echoes };
    if (received.length > MOST_IDENTIFICATION)
      throw new ModeEError('NOT_IDENTIFIED', `${received.length} octets without an identification`);
  }
}

/** The meter repeats the acknowledgement at the new baud. Some send nothing, which is tolerated. */
function* receiveConfirmation(expected: string, echoes: boolean): Opening<void> {
  const whole = echoes ? expected.repeat(2) : expected;
  let text = '';
  while (text.length < whole.length) {
    const chunk = yield { type: 'receive', timeoutMs: CONFIRMATION_MS };
    if (chunk.length === 0) break;
    text += textOf(chunk);
  }
  const isTolerated = text === '' || (echoes && text === expected);
  if (text !== whole && !isTolerated) throw new ModeEError('NOT_CONFIRMED', `${JSON.stringify(text)} instead of ${JSON.stringify(whole)}`);
}
