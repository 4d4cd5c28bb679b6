import { shownValue, type ShownValue } from '@hes/contract/core/unit.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { SheetColumn } from '#kit/table/sheet.ts';

/** A numeric value in the unit that screen and file show; undefined for texts and missing values. */
export const shownOf = ({ value, unit, scaler }: ReadValue): ShownValue | undefined =>
  typeof value === 'number' ? shownValue(value, unit, scaler) : undefined;

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
/** A timestamp, as returned by a clock that knows its time zone. */
const isInstant = (value: unknown): boolean => typeof value === 'string' && INSTANT.test(value);
const textOf = (read: ReadValue | undefined): string | undefined => (typeof read?.value === 'string' ? read.value : undefined);

interface ValueColumns<R> {
  items: readonly string[];
  rows: readonly R[];
  valueOf: (row: R, item: string) => ReadValue | undefined;
  nameOf: (item: string) => string;
}

/** Read items as file columns. Devices may return an item in different units: each unit gets a separate column. */
export const valueColumns = <R>({ items, rows, valueOf, nameOf }: ValueColumns<R>): (SheetColumn<R> & { key: string })[] =>
  items.flatMap((key): (SheetColumn<R> & { key: string })[] => {
    const unitOf = (row: R): string | undefined => {
      const read = valueOf(row, key);
      return read && shownOf(read)?.unit;
    };
    const units = [...new Set(rows.flatMap((row) => unitOf(row) ?? []))];
    const title = nameOf(key);
    if (units.length === 0) {
      const texts = rows.flatMap((row) => valueOf(row, key)?.value ?? []);
      if (texts.length > 0 && texts.every(isInstant)) return [{ key, title, time: (row: R) => textOf(valueOf(row, key)) }];
      return [{ key, title, value: (row: R) => valueOf(row, key)?.value }];
    }
    return units.map((unit) => ({
      key,
      title,
      unit,
      value: (row: R) => {
        const read = valueOf(row, key);
        return read && shownOf(read)?.unit === unit ? shownOf(read)?.value : null;
      },
    }));
  });
