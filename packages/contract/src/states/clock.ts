import { z } from 'zod';
import { fill, type Text } from '../core/text.ts';
import { offsetText } from '../core/unit.ts';
import type { SettingValues } from '../setting/settings.ts';

/** Class of a clock deviation, which determines the permitted correction. */
export const CLOCK_CLASSES = ['fine', 'adjust', 'set', 'confirm', 'invalid', 'unknown'] as const;
export const clockClass = z.enum(CLOCK_CLASSES);
export type ClockClass = z.infer<typeof clockClass>;

type Limits = Pick<SettingValues['thresholds'], 'clockFineS' | 'clockAdjustS' | 'clockSetS'>;

const BETWEEN: Text = { en: '{from}-{to} s', zh: '{from}-{to}秒' };

/** Labels of the classes for given limits, so that they match the limits in force. */
export const clockClassText = (limits: Limits): Record<ClockClass, Text> => ({
  fine: fill({ en: 'Within {limit} s', zh: '{limit}秒内' }, { limit: limits.clockFineS }),
  adjust: fill(BETWEEN, { from: limits.clockFineS, to: limits.clockAdjustS }),
  set: fill(BETWEEN, { from: limits.clockAdjustS, to: limits.clockSetS }),
  confirm: fill({ en: 'Over {limit} s', zh: '超过{limit}秒' }, { limit: limits.clockSetS }),
  invalid: { en: 'Invalid', zh: '时钟无效' },
  unknown: { en: 'Not read', zh: '未读取' },
});

/** Formats a COSEM time zone as UTC offset such as `+08:00`; COSEM uses the opposite sign. */
export const cosemZoneText = (minutes: number): string => offsetText(-minutes * 60_000);

const BITS = { invalid: 0x01 | 0x08, doubtful: 0x02, otherSource: 0x04 } as const;
const STATUS = {
  invalid: { en: 'invalid', zh: '无效' },
  doubtful: { en: 'doubtful', zh: '可疑' },
  otherSource: { en: 'other base', zh: '其他时钟源' },
  valid: { en: 'valid', zh: '有效' },
};

/** Text of the DLMS clock status octet, by its most severe bit. */
export const clockStatusText = (status: number): Text =>
  STATUS[(Object.keys(BITS) as (keyof typeof BITS)[]).find((bit) => (status & BITS[bit]) !== 0) ?? 'valid']; // as: keys of the table

/** Labels of the classes without limits: the permitted correction. */
export const CLOCK_CLASS_TEXT: Record<ClockClass, Text> = {
  fine: { en: 'Fine', zh: '正常' },
  adjust: { en: 'Can be shifted', zh: '可平移' },
  set: { en: 'To be set', zh: '需对时' },
  confirm: { en: 'Needs confirmation', zh: '需确认' },
  invalid: { en: 'Invalid', zh: '时钟无效' },
  unknown: { en: 'Not read', zh: '未读取' },
};

const INVALID_BITS = 0x01 | 0x08;

/** Classifies a deviation; `deviationMs` is null if the device returned no valid time. */
export function clockClassOf(deviationMs: number | null, status: number | null, limits: Limits): Exclude<ClockClass, 'unknown'> {
  if (deviationMs === null || ((status ?? 0) & INVALID_BITS) !== 0) return 'invalid';
  const seconds = Math.abs(deviationMs) / 1000;
  if (seconds <= limits.clockFineS) return 'fine';
  if (seconds <= limits.clockAdjustS) return 'adjust';
  return seconds <= limits.clockSetS ? 'set' : 'confirm';
}

/** Classes whose correction requires confirmation, because profiles will contain a jump. */
export const needsConfirmation = (of: ClockClass): boolean => of === 'confirm' || of === 'invalid';

export const clockMethod = z.enum(['shift', 'set', 'broadcast']);
export type ClockMethod = z.infer<typeof clockMethod>;
export const CLOCK_METHOD_TEXT: Record<ClockMethod, Text> = {
  shift: { en: 'Shift', zh: '平移校时' },
  set: { en: 'Set', zh: '直接对时' },
  broadcast: { en: 'Broadcast', zh: '广播校时' },
};
