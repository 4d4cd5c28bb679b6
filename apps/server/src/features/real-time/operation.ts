import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { RealTimeGroup } from '@hes/contract/action/real-time.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { isThreePhase, storeInstant } from './store.ts';
import type { ReadingItemRow } from '#field/queries.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { readRegisters } from '#field/profiles/read-registers.ts';
import { changesOf, withMeter, type MeterWork } from '#field/operations/with-meter.ts';

const NO_UNIT = 255;

/** Items of phases 2 and 3 are read only from three-phase meters; a single-phase meter would refuse each of them. */
type Part = 'always' | 'three';

const REGISTERS: Partial<Record<RealTimeGroup, [WellKnownKey, Part][]>> = {
  electric: [
    ['U1', 'always'],
    ['U2', 'three'],
    ['U3', 'three'],
    ['I1', 'always'],
    ['I2', 'three'],
    ['I3', 'three'],
    ['I0', 'three'],
    ['FREQUENCY', 'always'],
    ['PF', 'always'],
    ['PF1', 'three'],
    ['PF2', 'three'],
    ['PF3', 'three'],
  ],
  power: [
    ['P_PLUS', 'always'],
    ['P_MINUS', 'always'],
    ['Q_PLUS', 'always'],
    ['Q_MINUS', 'always'],
    ['P1_PLUS', 'three'],
    ['P2_PLUS', 'three'],
    ['P3_PLUS', 'three'],
    ['P1_MINUS', 'three'],
    ['P2_MINUS', 'three'],
    ['P3_MINUS', 'three'],
  ],
  energy: [
    ['E_PLUS', 'always'],
    ['E_PLUS_T1', 'always'],
    ['E_PLUS_T2', 'always'],
    ['E_PLUS_T3', 'always'],
    ['E_PLUS_T4', 'always'],
    ['E_MINUS', 'always'],
  ],
};

const itemOf = (key: string, known: WellKnownKey, attribute: number): ReadingItemRow => ({
  key,
  obis: WELL_KNOWN[known].instance,
  classId: WELL_KNOWN[known].cosemClass.id,
  attribute,
  unit: NO_UNIT,
});

/** The reading items of groups, in the order of their display. */
function itemsOf(groups: readonly RealTimeGroup[], isThreePhase: boolean): ReadingItemRow[] {
  return groups.flatMap((group) => {
    if (group === 'clock') return [itemOf('CLOCK', 'CLOCK', clock.attributes.time.id)];
    if (group === 'relay')
      return [
        itemOf('RELAY_OUTPUT', 'RELAY', disconnectControl.attributes.outputState.id),
        itemOf('RELAY_STATE', 'RELAY', disconnectControl.attributes.controlState.id),
      ];
    return (REGISTERS[group] ?? [])
      .filter(([, part]) => part === 'always' || isThreePhase)
      .map(([key]) => itemOf(key, key, register.attributes.value.id));
  });
}

/** Reads instantaneous values of a meter. Objects that it lacks are remembered and not read again. */
function realTime(tools: OperationTools, item: WorkItem<'real_time'>): Promise<WorkReport> {
  return withMeter(tools, item, (meter) => readNow(tools, item, meter));
}

const ABSENT = 'absent:real-time';

async function readNow(tools: OperationTools, item: WorkItem<'real_time'>, meter: MeterWork): Promise<Outcome<ItemResult>> {
  const { link, device, now } = meter;
  const known = device.metadata.get(ABSENT);
  const absent = new Set(Array.isArray(known) ? known.map(String) : []);
  const wanted = itemsOf(item.params.groups, await isThreePhase(tools.ctx.pool, device.id));
  const items = wanted.filter(({ key }) => !absent.has(key));
  if (items.length === 0) return failed('OBJECT_UNDEFINED');
  const onChanged = changesOf(tools, meter);
  const read = await readRegisters(link, device, tools.devices, {
    items,
    now,
    deviationMinutes: tools.zone.deviationMinutes(now),
    onChanged,
  });
  if (!read.ok) return read;
  const missing = read.value.filter((value) => value.reasonCode === 'OBJECT_UNDEFINED').map((value) => value.item);
  if (missing.length > 0) tools.devices.setMetadata(device, ABSENT, [...absent, ...missing]);
  const values = read.value.filter((value) => value.reasonCode !== 'OBJECT_UNDEFINED');
  if (item.params.keep) meter.storing(storeInstant(tools.ctx.pool, { meterId: device.id, at: now, values, taskItemId: item.id }));
  return ok({ values });
}

export const realTimeOperations = (tools: OperationTools): Pick<Operations, 'real_time'> => ({
  real_time: (item) => realTime(tools, item),
});
