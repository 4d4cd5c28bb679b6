import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { numberIn } from '@hes/dlms/cosem/data-value.ts';
import type { MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import type { ReadRows } from './doubts.ts';
import { given } from '../operations/given.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { isFull, quantitiesIn, type Quantity } from './quantities.ts';

/** The class of a register, and where its value stands. @spec BB 4.3.2 */
const REGISTER = 3;
const VALUE = 2;

/** What the energies of a profile stand at, read behind its rows: by channel or register number, in units of the storage. */
export type Standing = ReadonlyMap<number, number>;

/**
 * Asks for the registers that a profile captures. They are counted by the present scaling, so rows that nothing stored vouches for can be
 * compared with them. Of a meter that does not tell them, nothing can.
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
    const raw = numberIn(given(read.value[at], dataCodec) ?? undefined);
    if (!Number.isNaN(raw) && !isFull(raw, true)) standing.set(index, raw * 10 ** exponent);
  });
  return standing;
}

function registerOf({ columns }: ProfileAnswer, { column, isEnergy }: Quantity): AttributeRef | undefined {
  const object = columns[column];
  if (!isEnergy || object?.classId !== REGISTER || object.attributeId !== VALUE) return undefined;
  return { classId: REGISTER, instance: object.instance, attributeId: VALUE };
}

/** The rows, and behind them what the registers stand at, as if it had been captured now. Epoch milliseconds. */
export function withStanding(rows: ReadRows, standing: Standing, now: number): ReadRows {
  if (standing.size === 0) return rows;
  const at = rows.stamps.reduce((newest, stamp) => (stamp >= newest ? stamp + 1 : newest), now);
  const values = rows.values.map((column, index) => column && Float64Array.of(...column, standing.get(index) ?? Number.NaN));
  return { ...rows, stamps: Float64Array.of(...rows.stamps, at), values };
}
