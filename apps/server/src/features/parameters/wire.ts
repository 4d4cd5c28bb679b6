import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { TRIAL_OBJECT, type DcuParameter } from '@hes/contract/action/dcu-parameter.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { decodedAnswer } from '#field/decoded.ts';
import type { DeviceLink } from '#field/link.ts';

const NUMBERS = { u8: 'unsigned', u16: 'longUnsigned', u32: 'doubleLongUnsigned', choice: 'enum' } as const;
const TRIAL: Pick<DcuParameter, 'classId' | 'obis' | 'attribute' | 'type'> = { ...TRIAL_OBJECT, type: 'u32' };

const refOf = ({ classId, obis: instance, attribute }: Pick<DcuParameter, 'classId' | 'obis' | 'attribute'>) => ({
  classId,
  instance: obis(instance),
  attributeId: attribute,
});

function textOf(data: Data): string | undefined {
  switch (data.type) {
    case 'octetString':
      return Buffer.from(data.value).toString('utf8');
    case 'visibleString':
    case 'utf8String':
      return data.value;
    case 'boolean':
    case 'unsigned':
    case 'longUnsigned':
    case 'doubleLongUnsigned':
    case 'enum':
      return String(data.value);
    default:
      return undefined;
  }
}

function dataOf(type: DcuParameter['type'], value: string): Data {
  if (type === 'text') return { type: 'octetString', value: Buffer.from(value, 'utf8') };
  if (type === 'flag') return { type: 'boolean', value: value === 'true' };
  return { type: NUMBERS[type], value: Number(value) };
}

export async function readParameter(
  link: DeviceLink,
  parameter: Pick<DcuParameter, 'classId' | 'obis' | 'attribute'>,
): Promise<Outcome<string>> {
  const read = decodedAnswer(dataCodec, await link.get(refOf(parameter)));
  if (!read.ok) return read;
  const text = textOf(read.value);
  return text === undefined ? failed('TYPE_MISMATCH') : ok(text);
}

export const writeParameter = (link: DeviceLink, parameter: Pick<DcuParameter, 'classId' | 'obis' | 'attribute' | 'type'>, value: string) =>
  link.set(refOf(parameter), encode(dataCodec, dataOf(parameter.type, value)));

/** Remaining seconds of a trial of link parameters; undefined when the DCU has no trial. */
export async function readTrial(link: DeviceLink): Promise<number | undefined> {
  const read = await readParameter(link, TRIAL);
  return read.ok ? Number(read.value) : undefined;
}

/** Sets the remaining seconds of the trial; 0 ends it and keeps the parameters. */
export const setTrial = (link: DeviceLink, seconds: number): Promise<Outcome<void>> => writeParameter(link, TRIAL, String(seconds));
