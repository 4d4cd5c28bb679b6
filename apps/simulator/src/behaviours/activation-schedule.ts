import { singleActionSchedule } from '@hes/dlms/cosem/classes/single-action-schedule.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { DeviceFirmware } from '#devices/firmware.ts';
import { simulate } from '#devices/simulate.ts';
import type { LocalTime } from '#world/local-time.ts';
import { activate } from './image-transfer.ts';

const ACTIVATE = 1;
const ONE_MOMENT = 1;
/** Limit of a timer; later activations are not simulated. */
const LONGEST_MS = 2 ** 31 - 1;

interface Scheduled {
  firmware: DeviceFirmware;
  now(): number;
  /** Clock deviation of the device in milliseconds; positive: ahead. */
  aheadMs: number;
  local: LocalTime;
}

/** Activates the verified image at a moment of local time, with or without a client. */
export const activationSchedule = simulate(singleActionSchedule, ({ firmware, now, aheadMs, local }: Scheduled) => ({
  read: {
    executedScript: () => ({ instance: WELL_KNOWN.SCRIPTS_IMAGE.instance, selector: ACTIVATE }),
    type: () => ONE_MOMENT,
    executionTime: () => firmware.schedule.times,
  },
  write: {
    executionTime(times) {
      const [moment] = times;
      clearTimeout(firmware.schedule.timer);
      firmware.schedule = { times };
      if (moment === undefined) return undefined;
      const deviationMinutes = local.deviationMinutes(now());
      const at = toEpochMs({ ...moment.date, ...moment.time, deviationMinutes, status: 0 }, deviationMinutes);
      if (at === null) return 'otherReason';
      const run = (): void => {
        firmware.schedule = { times: [] };
        activate(firmware);
      };
      const timer = setTimeout(run, Math.min(Math.max(at - now() - aheadMs, 0), LONGEST_MS));
      timer.unref();
      firmware.schedule = { times, timer, run };
      return undefined;
    },
  },
}));
