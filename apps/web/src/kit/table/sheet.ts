import type { Locale } from '@hes/contract/core/text.ts';
import { headed, offsetHeading, offsetText } from '@hes/contract/core/unit.ts';
import { dateTime, offsetMsOf } from '#core/time/format.ts';
import type { Column } from './data-table.tsx';

/** A column that can be written to a file: its heading is plain text. */
export type SheetColumn<R> = Pick<Column<R>, 'value' | 'unit' | 'time' | 'words'> & { title: string };

/** `2026-11-21 20:00:00` and `+08:00` in two cells; both are empty without an instant. */
export const timeCells = (at: string | number | null | undefined): [string | null, string | null] =>
  at === null || at === undefined ? [null, null] : [dateTime(at), offsetText(offsetMsOf(at))];

const headings = <R>({ title, unit, time }: SheetColumn<R>, locale: Locale): string[] =>
  time ? [title, offsetHeading(title, locale)] : [headed(title, unit)];

const cells = <R>({ value, time, words }: SheetColumn<R>, row: R): unknown[] =>
  time ? timeCells(time(row)) : [words ? words(row) : (value?.(row) ?? null)];

/** Rows as a file: headings with units, values in the unit of the screen, local times with UTC offset, missing values empty. */
export const sheetOf = <R>(columns: readonly SheetColumn<R>[], rows: readonly R[], locale: Locale): unknown[][] => [
  columns.flatMap((column) => headings(column, locale)),
  ...rows.map((row) => columns.flatMap((column) => cells(column, row))),
];
