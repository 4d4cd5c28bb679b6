import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { DeviceLink } from '../link.ts';
import type { OperationTools } from './operation-tools.ts';
import { valueOf } from '../profiles/read-registers.ts';

/** An attribute that needs no scaler. */
export interface ValueRef {
  key: string;
  obis: string;
  classId: number;
  attribute: number;
}

/** A result without value, with the reason. */
export const refused = ({ key, obis: instance }: Pick<ValueRef, 'key' | 'obis'>, reasonCode: ReasonCode): ReadValue => ({
  item: key,
  obis: instance,
  value: null,
  unit: '',
  at: null,
  raw: null,
  scaler: null,
  reasonCode,
});

/** Reads attributes one by one, each with its own outcome; a missing one does not fail the others. */
export async function readRefs(
  link: DeviceLink,
  refs: readonly ValueRef[],
  tools: Pick<OperationTools, 'ctx' | 'zone'>,
): Promise<ReadValue[]> {
  const now = tools.ctx.clock.now();
  const query = { items: [], now, deviationMinutes: tools.zone.deviationMinutes(now) };
  const values: ReadValue[] = [];
  for (const { key, obis: instance, classId, attribute } of refs) {
    const item = { key, obis: instance, classId, attribute, unit: 255 };
    const read = await link.get({ classId, instance: obis(instance), attributeId: attribute });
    if (read.ok) values.push(valueOf(item, read.value, undefined, query));
    else values.push(refused(item, read.reason));
  }
  return values;
}
