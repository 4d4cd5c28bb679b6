const formatters = new Map<number, Intl.NumberFormat>();

/** `1,236`, `99.12` or `−75`: grouped, with a fixed number of decimals and a minus sign as wide as a digit. */
export function figure(value: number, decimals = 0): string {
  let formatter = formatters.get(decimals);
  if (!formatter) {
    formatter = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formatters.set(decimals, formatter);
  }
  return formatter.format(value).replace('-', '−');
}

/** Percentage, rounded, but so that only all is 100 and only nothing is 0; undefined when nothing is expected. */
export function percent(got: number, expected: number, decimals = 2): string | undefined {
  if (expected <= 0) return undefined;
  const least = 10 ** -decimals;
  const exact = (got / expected) * 100;
  const inBetween = Math.min(100 - least, Math.max(least, exact));
  return figure(got > 0 && got < expected ? inBetween : exact, decimals);
}

/** Serial number in groups of four digits: `2104 0018 0140`. */
export const grouped = (sn: string): string => (/^\d{6,}$/.test(sn) ? sn.replaceAll(/(\d{4})(?=\d)/g, '$1 ') : sn);
