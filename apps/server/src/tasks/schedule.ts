import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { nextRun as nextRunOf } from '@hes/contract/schedule/runs.ts';

/**
 * The first run of a seven-field schedule after `after` (epoch milliseconds), in the utility's zone; undefined when there
 * is none any more. Throws a `RangeError` on anything that is not a schedule.
 */
export const nextRun = (expression: string, after: number, timeZone: string): number | undefined =>
  nextRunOf(parseSchedule(expression), after, timeZone);
