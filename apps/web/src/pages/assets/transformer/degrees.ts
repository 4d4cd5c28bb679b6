export const degrees = (value: number | null): string => (value === null ? '—' : value.toFixed(6));
