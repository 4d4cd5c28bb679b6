import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { RelayResult } from '@hes/contract/orders/results.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import type { RelayOperation } from '@hes/contract/action/relay-rules.ts';
import { cosemObjectOf } from '#field/cosem-object.ts';
import type { DeviceLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { readRegisters } from '#field/profiles/read-registers.ts';
import type { MeterWork } from '#field/operations/with-meter.ts';

const relayOf = ({ device }: DeviceLink) => cosemObjectOf(device.objectMap, 'RELAY');
const STATES = { disconnected: 'disconnected', connected: 'connected', readyForReconnection: 'ready' } as const;
const MODES = ['none', 'mode1', 'mode2', 'mode3', 'mode4', 'mode5', 'mode6'] as const;
const NO_UNIT = 255;

export type FoundRelay = Pick<RelayResult, 'output' | 'state' | 'mode'>;

/** Reads contact, state and mode of a relay. */
export async function readRelay(link: DeviceLink): Promise<Outcome<FoundRelay>> {
  const read = await link.readList(relayOf(link), ['outputState', 'controlState', 'controlMode']);
  if (!read.ok) return read;
  const { outputState: output, controlState: state, controlMode: mode } = read.value;
  if (!output.ok) return output;
  if (!state.ok) return state;
  if (!mode.ok) return mode;
  return ok({ output: output.value, state: STATES[state.value], mode: MODES.indexOf(mode.value) });
}

/** The active power of the supply in watts; null when the meter does not measure it. */
export async function readPowerW(tools: OperationTools, { link, device, now }: MeterWork): Promise<Outcome<number | null>> {
  const item = {
    key: 'P_PLUS',
    obis: WELL_KNOWN.P_PLUS.instance,
    classId: register.id,
    attribute: register.attributes.value.id,
    unit: NO_UNIT,
  };
  const deviationMinutes = tools.zone.deviationMinutes(now);
  const read = await readRegisters(link, device, tools.devices, { items: [item], now, deviationMinutes });
  if (!read.ok) return link.isUsable ? ok(null) : read;
  const { value = null, unit } = read.value[0] ?? { unit: '' };
  if (typeof value !== 'number') return ok(null);
  return ok(Math.round(unit === 'kW' ? value * 1000 : value));
}

export const sendToRelay = (link: DeviceLink, operation: RelayOperation): Promise<Outcome<unknown>> =>
  link.invoke(relayOf(link), operation === 'disconnect' ? 'remoteDisconnect' : 'remoteReconnect', 0);
