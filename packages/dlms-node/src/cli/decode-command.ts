import { annotate, type AnnotatedNode } from '@hes/dlms/codec/annotate.ts';
import type { Codec } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { dateTimeCodec } from '@hes/dlms/cosem/date-time.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { annotateWire, payloadOnWire } from '@hes/dlms/framing/annotate-wire.ts';
import { wireFrame } from '@hes/dlms/framing/wire-frame.ts';
import { apduCodec } from '@hes/dlms/xdlms/apdu.ts';
import { isCipheredTag } from '@hes/dlms/xdlms/ciphered.ts';
import type { Open } from './apdu-shape.ts';
import { parseOptions, type Command, type Console } from './commands.ts';
import { jsonLine } from './data-shape.ts';
import { decodeLine, kindOf, MESSAGE_KINDS, onlyFrame, type MessageKind } from './decode-json.ts';
import { octetsOfText, openerOf } from './opening.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  kind: { type: 'string' },
  ek: { type: 'string' },
  ak: { type: 'string' },
  dk: { type: 'string' },
  title: { type: 'string' },
} as const;

const SHOWN_OCTETS = 12;
const CODECS: Readonly<Record<Exclude<MessageKind, 'hdlc' | 'mbus'>, Codec<unknown>>> = {
  pdu: apduCodec as Codec<unknown>, // as: only read from
  wrapper: wireFrame as Codec<unknown>, // as: only read from
  data: dataCodec as Codec<unknown>, // as: only read from
  datetime: dateTimeCodec as Codec<unknown>, // as: only read from
};

function* linesOf(octets: Uint8Array, nodes: readonly AnnotatedNode[], depth: number): Generator<string> {
  for (const { name, offset, length, value, children } of nodes) {
    const hex = toHex(octets.subarray(offset, offset + Math.min(length, SHOWN_OCTETS))) + (length > SHOWN_OCTETS ? '…' : '');
    const place = offset.toString(16).padStart(4, '0').toUpperCase();
    yield `${place}  ${hex.padEnd(2 * SHOWN_OCTETS + 1)}  ${'  '.repeat(depth)}${name}${value === undefined ? '' : ` = ${value}`}`;
    yield* linesOf(octets, children, depth + 1);
  }
}

/** The fields of a message; a message without fields counts as one. */
function annotateMessage(kind: MessageKind, octets: Uint8Array): ReturnType<typeof annotate> {
  if (kind === 'hdlc' || kind === 'mbus') return annotateWire(octets);
  const codec = CODECS[kind];
  const found = annotate(codec, octets);
  if (found.nodes.length > 0) return found;
  return annotate({ read: (input) => input.field(kind, () => codec.read(input)), write: codec.write }, octets);
}

/** Prints a message field by field, and its plaintext when it can be deciphered. Returns whether everything was decoded. */
function printMessage(kind: MessageKind, octets: Uint8Array, open: Open, out: (line: string) => void): boolean {
  const gateway = kind === 'pdu' ? decodeGateway(octets) : undefined;
  if (gateway !== undefined) {
    const { networkId, address, response } = gateway;
    out(`gateway ${response ? 'response' : 'request'}, network ${networkId}, address ${toHex(address)}; content:`);
    return printMessage('pdu', gateway.apdu, open, out);
  }
  const { nodes, error } = annotateMessage(kind, octets);
  for (const line of linesOf(octets, nodes, 0)) out(line);
  if (error !== undefined) {
    out(`broken: ${error.message}`);
    return false;
  }
  return explainInside(kind, octets, open, out);
}

function explainInside(kind: MessageKind, octets: Uint8Array, open: Open, out: (line: string) => void): boolean {
  if (kind === 'data' || kind === 'datetime') return true;
  const whole = kind === 'wrapper' ? onlyFrame(octets).apdu : kind === 'pdu' ? octets : payloadOnWire(octets);
  const apdu = kind === 'pdu' ? whole : (decodeGateway(whole)?.apdu ?? whole);
  if (!isCipheredTag(apdu[0] ?? 0)) return true;
  const plain = open(apdu);
  if (plain === undefined) {
    out('ciphered: give --ek, --ak and, if the message does not contain it, --title');
    return true;
  }
  out('inside:');
  return printMessage('pdu', plain, open, out);
}

async function decodeLines(console: Console): Promise<number> {
  let number = 0;
  for await (const line of console.lines()) {
    number++;
    if (line.trim() === '') continue;
    // The error of a broken message takes the place of its output line.
    console.out(jsonLine(decodeLine(line, (why) => console.err(`line ${number}: ${why}`))));
  }
  return 0;
}

export const decodeCommand: Command = {
  summary: 'print a message field by field; with keys also its plaintext',
  help: `dlms decode <hex> [--kind pdu|wrapper|hdlc|mbus|data|datetime] [--ek HEX --ak HEX [--dk HEX] [--title HEX]]
dlms decode --json < lines

Decodes one message. Without <hex> it is read from standard input. --title is the system title of the sender.
With --json every line of standard input is a message in hex, optionally followed by a JSON object with
ek, ak, dk, systemTitle and kind; every line of output is the decoded value, or {"error":{code, offset, path}}.`,
  async run(args, console) {
    const { values, positionals } = parseOptions(args, OPTIONS);
    if (values.json === true && positionals.length === 0) return await decodeLines(console);
    let hex = positionals.join('');
    if (hex === '') for await (const line of console.lines()) hex += line.trim();
    if (hex === '') throw new UsageError('nothing to decode', 'give a message in hex');
    const kind = values.kind;
    if (kind !== undefined && !MESSAGE_KINDS.some((known) => known === kind))
      throw new UsageError(`unknown kind "${kind}"`, `use ${MESSAGE_KINDS.join(', ')}`);
    const { title: systemTitle, ek, ak, dk } = values;
    const keys = { ...(ek && { ek }), ...(ak && { ak }), ...(dk && { dk }), ...(systemTitle && { systemTitle }) };
    if (values.json === true) {
      const line = `${hex} ${JSON.stringify({ ...keys, ...(kind && { kind }) })}`;
      console.out(jsonLine(decodeLine(line, console.err)));
      return 0;
    }
    const octets = octetsOfText('message', hex);
    const known = (kind ?? kindOf(octets)) as MessageKind; // as: checked above
    try {
      return printMessage(known, octets, openerOf(keys), console.out) ? 0 : 1;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      console.out(`broken: ${error.message}`);
      return 1;
    }
  },
};
