import { decode } from '@hes/dlms/codec/codec.ts';
import { wellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec } from '@hes/dlms/cosem/date-time.ts';
import { expandRows } from '@hes/dlms/cosem/profile-rows.ts';
import { entrySelection, rangeSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import { parseOptions, type Command } from './commands.ts';
import { dataShape, jsonLine } from './data-shape.ts';
import { momentOf, momentText } from './moment.ts';
import { attributeOf, METER_HELP, METER_OPTIONS, meterTarget, wholeNumber } from './meter-options.ts';
import { MeterRefusal, withMeter } from './meter-link.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = {
  ...METER_OPTIONS,
  from: { type: 'string' },
  to: { type: 'string' },
  entries: { type: 'string' },
} as const;

const CLOCK_CLASS = 8;
const MOMENT_SIZE = 12;

function selectionOf(values: { from?: string; to?: string; entries?: string }): Selection | undefined {
  const { from, to, entries } = values;
  if (entries !== undefined) {
    const [, first, last] = /^(\d+)-(\d+)$/.exec(entries) ?? [];
    if (first === undefined || last === undefined)
      throw new UsageError(`entries: "${entries}" is not a range`, 'write --entries 1-96; 1 is the first, 0 the last');
    return entrySelection({
      fromEntry: wholeNumber('entries', first, [1, 0xffff_ffff]),
      toEntry: wholeNumber('entries', last, [0, 0xffff_ffff]),
    });
  }
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) throw new UsageError('an incomplete range', 'give both --from and --to');
  return rangeSelection({ from: momentOf('from', from), to: momentOf('to', to) });
}

const isClock = (column: CaptureObject): boolean => column.classId === CLOCK_CLASS && column.attributeId === 2;

const columnName = ({ classId, instance, attributeId }: CaptureObject): string =>
  attributeId === 2 ? (wellKnownKey(classId, instance) ?? `${classId}/${instance}`) : `${classId}/${instance}/${attributeId}`;

function cell(data: Data): string {
  if (!('value' in data)) return '';
  const { value } = data;
  if (value instanceof Uint8Array && value.length === MOMENT_SIZE) return momentText(decode(dateTimeCodec, value));
  const { v } = dataShape(data) as { v?: unknown }; // as: the shape of every Data
  const text = typeof v === 'object' ? jsonLine(v) : String(v);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows of a buffer as CSV lines. */
export function* csvLines(columns: readonly CaptureObject[], buffer: Data, periodSeconds: number): Generator<string> {
  yield columns.map(columnName).join(',');
  if (buffer.type !== 'array' && buffer.type !== 'compactArray') throw new MeterRefusal(`the buffer is not an array but ${buffer.type}`);
  const rows = buffer.value.map((row) => {
    if (row.type === 'structure') return row.value;
    throw new MeterRefusal(`a row is not a structure but ${row.type}`);
  });
  const shape = { clockColumn: columns.findIndex(isClock), capturePeriodSeconds: periodSeconds };
  for (const { values } of expandRows(rows, shape)) yield values.map(cell).join(',');
}

export const profileCommand: Command = {
  summary: 'read a profile as CSV, by range of time or of entries',
  help: `dlms profile <host[:port]> <class/name|key> [--from MOMENT --to MOMENT | --entries 1-96] [options]

Reads a profile such as LPA or 7/1.0.99.1.0.255 and writes it as CSV. Times are 2026-01-31T12:00, in the meter's own
time or with a zone; both ends belong to the range.

${METER_HELP}`,
  async run(args, console) {
    const { values, positionals } = parseOptions(args, OPTIONS);
    const { from, to, entries, ...others } = values;
    const ref = attributeOf(positionals[1]);
    const selection = selectionOf({ ...(from && { from }), ...(to && { to }), ...(entries && { entries }) });
    await withMeter(meterTarget(positionals[0], others), async (meter) => {
      const { captureObjects, capturePeriod } = profileGeneric.attributes;
      const columns = decode(captureObjects.codec, await meter.read({ ...ref, attributeId: captureObjects.id }));
      const period = decode(capturePeriod.codec, await meter.read({ ...ref, attributeId: capturePeriod.id }));
      const buffer = decode(dataCodec, await meter.read({ ...ref, attributeId: 2 }, selection));
      for (const line of csvLines(columns, buffer, period)) console.out(line);
    });
    return 0;
  },
};
