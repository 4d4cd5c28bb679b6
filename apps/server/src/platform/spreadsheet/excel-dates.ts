const DAY_MS = 86_400_000;
/** Day 0 of the 1900 date system, which counts a non-existent 29 February 1900. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
/** Ids of built-in date formats, which workbooks do not declare. */
const BUILT_IN = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 36, 45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58]);

/** Collects the date styles of a workbook while its style part is parsed. */
export function dateStyles() {
  const custom = new Set<number>();
  const formats: number[] = [];
  let isCell = false;
  return {
    open(name: string, attributes: Record<string, string>): void {
      if (name === 'numFmt' && /[ymdhs]/i.test((attributes['formatCode'] ?? '').replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '')))
        custom.add(Number(attributes['numFmtId']));
      if (name === 'cellXfs') isCell = true;
      if (name === 'xf' && isCell) formats.push(Number(attributes['numFmtId'] ?? 0));
    },
    close(name: string): void {
      if (name === 'cellXfs') isCell = false;
    },
    isDate: (style: number): boolean => {
      const format = formats[style] ?? 0;
      return BUILT_IN.has(format) || custom.has(format);
    },
  };
}

/** `46347.5` → `2026-11-21 12:00:00`; a whole number has no time. */
export function excelDate(serial: number): string {
  if (!Number.isFinite(serial) || serial < 0 || serial > 2_958_465) return String(serial);
  const text = new Date(EPOCH_MS + Math.round(serial * DAY_MS)).toISOString();
  return Number.isInteger(serial) ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
