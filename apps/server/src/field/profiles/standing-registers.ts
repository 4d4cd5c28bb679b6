import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { numberIn } from '@hes/dlms/cosem/data-value.ts';
import { attributeRef, isAttribute } from '@hes/dlms/xdlms/cosem-object.ts';
import { decodedAnswer } from '../decoded.ts';
import type { MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import type { ReadRows } from './doubts.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { isFull, quantitiesIn, type Quantity } from './quantities.ts';

/** Present energy registers of a profile, read after its rows: by channel or register number, in storage units. */
export type Standing = ReadonlyMap<number, number>;

/**
 * Reads the energy registers that a profile captures. They use the present scaling, so rows without anchor can be compared with them. Empty
 * when the meter does not return them.
 */
export async function readStanding(
  link: DeviceLink,
  device: MeterDevice,
  { profile, answer }: { profile: CountedProfile; answer: ProfileAnswer },
): Promise<Standing> {
  const asked = quantitiesIn(answer, device, isFreeze(profile)).flatMap((quantity) => {
    const ref = registerOf(answer, quantity);
    return ref === undefined ? [] : [{ quantity, ref }];
  });
  const read = await link.getList(asked.map(({ ref }) => ref));
  const standing = new Map<number, number>();
  if (!read.ok) return standing;
  asked.forEach(({ quantity: { index, exponent } }, at) => {
    const value = decodedAnswer(register.attributes.value.codec, read.value[at]);
    const raw = value.ok ? numberIn(value.value) : Number.NaN;
    if (!Number.isNaN(raw) && !isFull(raw, true)) standing.set(index, raw * 10 ** exponent);
  });
  return standing;
}

function registerOf({ columns }: ProfileAnswer, { column, isEnergy }: Quantity): AttributeRef | undefined {
  const object = columns[column];
  if (!isEnergy || object === undefined || !isAttribute(object, register, 'value')) return undefined;
  return attributeRef({ cosemClass: register, instance: object.instance }, 'value');
}

/** Appends the present registers to the rows, as if captured at `now`. Epoch milliseconds. */
export function withStanding(rows: ReadRows, standing: Standing, now: number): ReadRows {
  if (standing.size === 0) return rows;
  const at = rows.stamps.reduce((newest, stamp) => (stamp >= newest ? stamp + 1 : newest), now);
  const values = rows.values.map((column, index) => column && Float64Array.of(...column, standing.get(index) ?? Number.NaN));
  return { ...rows, stamps: Float64Array.of(...rows.stamps, at), values };
}
