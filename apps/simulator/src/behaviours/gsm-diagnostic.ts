import { gsmDiagnosticV1 } from '@hes/dlms/cosem/classes/gsm-diagnostic.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { simulate } from '#devices/simulate.ts';
import type { Uplink } from '#world/uplink.ts';
import type { ClockState } from './clock.ts';

export interface ModemState {
  uplink(): Uplink;
  clock: ClockState;
}

/** Diagnostic data of a modem. The moment of the measurement follows the clock of the device. */
export const gsmDiagnosticObject = simulate(gsmDiagnosticV1, ({ uplink, clock }: ModemState) => ({
  read: {
    operator: () => uplink().operator,
    status: () => 'registeredHome' as const,
    csAttachment: () => 'inactive' as const,
    psStatus: () => uplink().service,
    cellInfo: () => uplink(),
    adjacentCells: () => uplink().neighbours,
    captureTime: () => {
      const at = uplink().measuredAtMs + clock.aheadMs;
      return fromEpochMs(at, clock.local.deviationMinutes(at));
    },
  },
}));
