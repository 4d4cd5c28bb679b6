/** Ratings of older records include their unit. */
export const withUnit = (text: string | null, unit: string) => (text === null ? '—' : text.endsWith(unit) ? text : `${text} ${unit}`);
