import { clockClassText, type ClockClass } from '@hes/contract/states/clock.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { EVENT_DIRECTION_TEXT, type EventDirection } from '@hes/contract/states/event.ts';
import type { SettingValues } from '@hes/contract/setting/settings.ts';
import { words } from './messages.ts';
import type { Sign } from '#kit/state/sign.ts';

export const LEVEL: Record<'serious' | 'warning' | 'none', Sign> = {
  serious: { shape: 'ring!', tone: 'red', text: ABNORMAL_LEVEL_TEXT.serious },
  warning: { shape: 'ring!', tone: 'amber', text: ABNORMAL_LEVEL_TEXT.warning },
  none: { shape: 'dashed', tone: 'none', text: words.noLevel, quiet: true },
};

export const DIRECTION: Record<EventDirection, Sign> = {
  occur: { shape: 'disc', tone: 'wait', text: EVENT_DIRECTION_TEXT.occur, quiet: true },
  recover: { shape: 'tick', tone: 'ok', text: EVENT_DIRECTION_TEXT.recover, quiet: true },
};

const CLOCK_SHAPES: Record<ClockClass, Omit<Sign, 'text'>> = {
  fine: { shape: 'disc', tone: 'ok', quiet: true },
  adjust: { shape: 'disc60', tone: 'amber' },
  set: { shape: 'disc30', tone: 'orange' },
  confirm: { shape: 'ring!', tone: 'red' },
  invalid: { shape: 'cross', tone: 'red' },
  unknown: { shape: 'dashed', tone: 'none', quiet: true },
};
export const CLOCK_ORDER = ['fine', 'adjust', 'set', 'confirm', 'invalid', 'unknown'] as const satisfies readonly ClockClass[];

/** Classes of clock deviation by the limits of the setting. */
export function clockSigns(
  limits: Pick<SettingValues['thresholds'], 'clockFineS' | 'clockAdjustS' | 'clockSetS'>,
): Record<ClockClass, Sign> {
  const names = clockClassText(limits);
  const sign = (key: ClockClass): Sign => ({ ...CLOCK_SHAPES[key], text: names[key] });
  return {
    fine: sign('fine'),
    adjust: sign('adjust'),
    set: sign('set'),
    confirm: sign('confirm'),
    invalid: sign('invalid'),
    unknown: sign('unknown'),
  };
}
