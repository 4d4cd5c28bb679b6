import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { numberIn } from '@hes/dlms/cosem/data-value.ts';
import type { MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import type { ReadRows } from './doubts.ts';
import { decodeOptional } from '../operations/decode-optional.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { isFull, quantitiesIn, type Quantity } from './quantities.ts';

/** Class id of a register and id of its value attribute. @spec BB 4.3.2 */
const REGISTER = 3;
const VALUE = 2;

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
    const raw = numberIn(decodeOptional(read.value[at], dataCodec) ?? undefined);
    if (!Number.isNaN(raw) && !isFull(raw, true)) standing.set(index, raw * 10 ** exponent);
  });
  return standing;
}

function registerOf({ columns }: ProfileAnswer, { column, isEnergy }: Quantity): AttributeRef | undefined {
  const object = columns[column];
  if (!isEnergy || object?.classId !== REGISTER || object.attributeId !== VALUE) return undefined;
  return { classId: REGISTER, instance: object.instance, attributeId: VALUE };
}

/** Appends the present registers to the rows, as if captured at `now`. Epoch milliseconds. */
export function withStanding(rows: ReadRows, standing: Standing, now: number): ReadRows {
  if (standing.size === 0) return rows;
  const at = rows.stamps.reduce((newest, stamp) => (stamp >= newest ? stamp + 1 : newest), now);
  const values = rows.values.map((column, index) => column && Float64Array.of(...column, standing.get(index) ?? Number.NaN));
  return { ...rows, stamps: Float64Array.of(...rows.stamps, at), values };
}
