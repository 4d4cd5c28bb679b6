import type { PlainKey } from '#core/i18n/use-messages.ts';
import type { SettingKey, SettingValues } from '@hes/contract/setting/settings.ts';
import type { messages } from './messages.ts';

/** A path within a value: `hours.2` is the third of its hours. */
export interface NumberField {
  path: string;
  label: PlainKey<typeof messages>;
  unit: PlainKey<typeof messages> | 'dB' | 'dBm' | '%' | 'kWh' | '×';
  step?: number;
}

const list = (path: string, unit: NumberField['unit'], labels: NumberField['label'][]): NumberField[] =>
  labels.map((label, at) => ({ path: `${path}.${at}`, label, unit }));
const field = (path: string, label: NumberField['label'], unit: NumberField['unit'], step = 1): NumberField => ({
  path,
  label,
  unit,
  step,
});

/** Fields of the settings that are no numbers. */
const OTHER_PATHS = { secondFactor: ['requiredFor'], localSignIn: ['allowed', 'emergencyUser'] } as const satisfies Partial<
  Record<SettingKey, string[]>
>;

/** The settings that are numbers, in the order of the page. */
const NUMBER_FIELDS: Record<Exclude<SettingKey, 'timeZone' | keyof typeof OTHER_PATHS>, NumberField[]> = {
  freshness: list('hours', 'hours', ['first', 'second', 'third']),
  signal: [
    ...list('plcSnrDb', 'dB', ['plcOutstanding', 'plcExcellent', 'plcGood', 'plcPoor']),
    ...list('rfRssiDbm', 'dBm', ['rfOutstanding', 'rfExcellent', 'rfGood', 'rfPoor']),
  ],
  thresholds: [
    field('clockFineS', 'clockFine', 'seconds'),
    field('clockAdjustS', 'clockAdjust', 'seconds'),
    field('clockSetS', 'clockSet', 'seconds'),
    field('unbalanceWarningPercent', 'unbalanceWarning', '%'),
    field('unbalanceSeriousPercent', 'unbalanceSerious', '%'),
    field('voltageAbovePercent', 'voltageAbove', '%'),
    field('voltageBelowPercent', 'voltageBelow', '%'),
    field('suddenIncreaseFactor', 'suddenIncrease', '×', 0.1),
    field('suddenDecreaseFactor', 'suddenDecrease', '×', 0.1),
    field('suddenMinimumKwh', 'suddenMinimum', 'kWh'),
    field('reverseMinimumKwh', 'reverseMinimum', 'kWh', 0.1),
    field('upperLimitFactor', 'upperLimit', '×', 0.1),
    field('lowerLimitDays', 'lowerLimit', 'days'),
    ...list('lossPercent', '%', ['lossLow', 'lossMiddle', 'lossHigh']),
    field('completenessFinePercent', 'completenessFine', '%'),
    field('completenessTolerablePercent', 'completenessTolerable', '%'),
  ],
  retention: [
    field('dailyYears', 'daily', 'years'),
    field('profileMonths', 'profile', 'months'),
    field('eventYears', 'events', 'years'),
    field('auditYears', 'audit', 'years'),
    field('taskDays', 'tasks', 'days'),
    field('traceDays', 'traces', 'days'),
    field('frameLogDays', 'frameLog', 'days'),
    field('sessionDays', 'sessions', 'days'),
    field('outboxDays', 'outbox', 'days'),
  ],
};

/** The part of a value at a path. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value); // lists too are read by key
}

/** A copy of the value with another number at a path. */
function withValue<V>(value: V, path: string, next: unknown): V {
  const [key = '', ...rest] = path.split('.');
  const inner = (value as Record<string, unknown>)[key];
  const changed = rest.length === 0 ? next : withValue(inner, rest.join('.'), next);
  if (Array.isArray(value)) return value.map((item: unknown, at) => (String(at) === key ? changed : item)) as V; // of the same kind
  return { ...value, [key]: changed };
}

export type AnyValue = SettingValues[SettingKey];

const NO_FIELDS: NumberField[] = [];
const isOther = (key: SettingKey): key is keyof typeof OTHER_PATHS => key in OTHER_PATHS;
export const fieldsOf = (key: SettingKey): NumberField[] => (key === 'timeZone' || isOther(key) ? NO_FIELDS : NUMBER_FIELDS[key]);
const pathsOf = (key: SettingKey): readonly string[] => (isOther(key) ? OTHER_PATHS[key] : fieldsOf(key).map(({ path }) => path));

/** The values of a form by the paths of their fields; a value without fields stands under `value`. */
export const valuesAt = (key: SettingKey, value: AnyValue): Record<string, unknown> =>
  key === 'timeZone' ? { value } : Object.fromEntries(pathsOf(key).map((path) => [path, valueAt(value, path)]));

/** The setting with the values of its form. */
export const valueOf = ({ key, value }: { key: SettingKey; value: AnyValue }, values: Record<string, unknown>): AnyValue =>
  key === 'timeZone'
    ? (values['value'] as AnyValue) // as: the one text of this setting
    : pathsOf(key).reduce((all, path) => withValue(all, path, values[path]), value);
