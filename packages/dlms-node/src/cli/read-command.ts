import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec } from '@hes/dlms/cosem/date-time.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { scaled } from '@hes/dlms/cosem/scaled.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { parseOptions, type Command } from './commands.ts';
import { dataShape, jsonLine } from './data-shape.ts';
import { momentText } from './moment.ts';
import { attributeOf, METER_HELP, METER_OPTIONS, meterTarget } from './meter-options.ts';
import { withMeter, type MeterLink } from './meter-link.ts';

const REGISTERS: ReadonlySet<number> = new Set([3, 4]);
const VALUE = 2;
const SCALER_UNIT = 3;

const printable = (octets: Uint8Array): string =>
  octets.length > 0 && octets.every((octet) => octet >= 0x20 && octet < 0x7f) ? ` "${String.fromCharCode(...octets)}"` : '';

/** A readable text of a value. */
export function valueText(data: Data): string {
  const { t, v } = dataShape(data) as { t: string; v?: unknown }; // as: the shape of every Data
  const plain = v === undefined ? t : typeof v === 'object' ? `${t} ${jsonLine(v)}` : `${t} ${String(v)}`;
  if (!('value' in data) || !(data.value instanceof Uint8Array)) return plain;
  const moment = data.value.length === 12 ? ` ${momentText(decode(dateTimeCodec, data.value))}` : '';
  return plain + printable(data.value) + moment;
}

/** Scaler and unit are a separate attribute, which not every meter allows every client to read. */
async function scaledValue(meter: MeterLink, ref: ReturnType<typeof attributeOf>, data: Data): Promise<string | undefined> {
  if (!REGISTERS.has(ref.classId) || ref.attributeId !== VALUE || !('value' in data)) return undefined;
  if (typeof data.value !== 'number' && typeof data.value !== 'bigint') return undefined;
  const answer = await meter.run(meter.association.get({ ...ref, attributeId: SCALER_UNIT }));
  if (!answer.ok) return undefined;
  try {
    const { scaler, unit } = decode(register.attributes.scalerUnit.codec, answer.data);
    return `${scaled(data.value, scaler)} ${unitSymbol(unit)}`.trimEnd();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export const readCommand: Command = {
  summary: 'read one attribute',
  help: `dlms read <host[:port]> <class/name/attribute> [--json] [options]

Reads one attribute, such as 3/1.0.1.8.0.255/2, or a well-known object by its key, such as E_PLUS or CLOCK.

${METER_HELP}`,
  async run(args, console) {
    const { values, positionals } = parseOptions(args, { ...METER_OPTIONS, json: { type: 'boolean' } });
    const { json, ...others } = values;
    const ref = attributeOf(positionals[1]);
    await withMeter(meterTarget(positionals[0], others), async (meter) => {
      const data = decode(dataCodec, await meter.read(ref));
      if (json === true) return console.out(jsonLine(dataShape(data)));
      const amount = await scaledValue(meter, ref, data);
      console.out(amount === undefined ? valueText(data) : `${amount} (${valueText(data)})`);
    });
    return 0;
  },
};
