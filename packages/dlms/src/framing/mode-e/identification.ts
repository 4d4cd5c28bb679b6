import { DecodeError } from '../../codec/decode-error.ts';

/** Baud by the baud rate character. @spec IEC 62056-21 (6.3.14, modes C and E) */
export const MODE_E_BAUDS: Readonly<Record<string, number>> = {
  '0': 300,
  '1': 600,
  '2': 1200,
  '3': 2400,
  '4': 4800,
  '5': 9600,
  '6': 19_200,
};

/** Identification of a meter on its optical port. */
export interface ModeEIdentification {
  /** Three letters. */
  manufacturer: string;
  /** The highest baud that the meter offers. */
  baud: number;
  /** Whether the meter offers HDLC. */
  isModeE: boolean;
  /** Text of the manufacturer, usually type and version. */
  identification: string;
  /** Milliseconds that the meter needs before it listens again: 20, or 200 if its third letter is a capital. */
  reactionMs: number;
}

const FORM = /^\/([A-Za-z]{2}[A-Za-z0-9])([0-9A-Z])((?:\\[\x21-\x7e])*)([\x20-\x7e]*)\r\n$/;
const HDLC = '\\2';
const FAST_REACTION_MS = 20;
const REACTION_MS = 200;

/**
 * Decodes the identification of a meter, whose octets may have parity bits. Throws `DecodeError`.
 *
 * ```
 * / MMM Z [\W …] identification CR LF
 * ```
 * @spec IEC 62056-21 (6.3.2)
 */
export function decodeIdentification(octets: Uint8Array): ModeEIdentification {
  const line = textOf(octets);
  const [, manufacturer = '', character = '', modes = '', identification = ''] = FORM.exec(line) ?? [];
  const baud = MODE_E_BAUDS[character];
  if (manufacturer === '') throw fault('no identification');
  if (baud === undefined) throw fault(`baud rate character ${character}`);
  return {
    manufacturer,
    baud,
    isModeE: modes.includes(HDLC),
    identification,
    reactionMs: /[a-z]$/.test(manufacturer) ? FAST_REACTION_MS : REACTION_MS,
  };
}

const fault = (reason: string): DecodeError => new DecodeError({ code: 'BAD_VALUE', reason }, { offset: 0, path: 'identification' });

const PARITY = 0x80;
const ASCII = 0x7f;

/** ASCII as seven data bits with even parity in the highest bit, so that the port remains at eight data bits without parity. */
export const withParity = (text: string): Uint8Array => Uint8Array.from(text, (character) => evenParityOf(character.charCodeAt(0)));

function evenParityOf(code: number): number {
  let ones = 0;
  for (let rest = code; rest > 0; rest >>>= 1) ones += rest & 1;
  return ones % 2 === 0 ? code : code | PARITY;
}

/** The text of octets with or without parity bits, which are not checked: a damaged opening fails by its content. */
export const textOf = (octets: Uint8Array): string => Array.from(octets, (octet) => String.fromCharCode(octet & ASCII)).join('');
