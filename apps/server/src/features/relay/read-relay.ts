import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { RelayResult } from '@hes/contract/orders/results.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import type { RelayOperation } from '@hes/contract/action/relay-rules.ts';
import type { DeviceLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { readRegisters } from '#field/profiles/read-registers.ts';
import type { MeterWork } from '#field/operations/with-meter.ts';

const relayOf = ({ device }: DeviceLink) => ({
  classId: disconnectControl.id,
  instance: device.objectMap.get('RELAY')?.instance ?? WELL_KNOWN.RELAY.instance,
});
const STATES = { disconnected: 'disconnected', connected: 'connected', readyForReconnection: 'ready' } as const;
const MODES = ['none', 'mode1', 'mode2', 'mode3', 'mode4', 'mode5', 'mode6'] as const;
const NO_UNIT = 255;

export type FoundRelay = Pick<RelayResult, 'output' | 'state' | 'mode'>;

/** Reads contact, state and mode of a relay. */
export async function readRelay(link: DeviceLink): Promise<Outcome<FoundRelay>> {
  const { outputState, controlState, controlMode } = disconnectControl.attributes;
  const relay = relayOf(link);
  const read = await link.getList([outputState, controlState, controlMode].map(({ id }) => ({ ...relay, attributeId: id })));
  if (!read.ok) return read;
  const [output, state, mode] = read.value;
  if (output?.ok !== true) return output ?? failed('BAD_ANSWER');
  if (state?.ok !== true) return state ?? failed('BAD_ANSWER');
  if (mode?.ok !== true) return mode ?? failed('BAD_ANSWER');
  try {
    return ok({
      output: decode(outputState.codec, output.value),
      state: STATES[decode(controlState.codec, state.value)],
      mode: MODES.indexOf(decode(controlMode.codec, mode.value)),
    });
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
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

export function sendToRelay(link: DeviceLink, operation: RelayOperation): Promise<Outcome<unknown>> {
  const { remoteDisconnect, remoteReconnect } = disconnectControl.methods;
  const method = operation === 'disconnect' ? remoteDisconnect : remoteReconnect;
  return link.invoke({ ...relayOf(link), methodId: method.id }, encode(method.argument, 0));
}
