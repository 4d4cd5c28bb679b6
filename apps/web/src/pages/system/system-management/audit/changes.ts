export interface Change {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** Nested fields by their path, so that a diff shows what differs and not the whole. */
function leaves(value: unknown, path: string, into: Map<string, unknown>): Map<string, unknown> {
  if (isRecord(value) && Object.keys(value).length > 0)
    for (const [key, inner] of Object.entries(value)) leaves(inner, path === '' ? key : `${path}.${key}`, into);
  else into.set(path, value);
  return into;
}

/** The fields of an entry before and after; those that are the same on both sides are left out. */
export function changesOf(detail: Record<string, unknown>): Change[] {
  const before = isRecord(detail['before']) ? leaves(detail['before'], '', new Map()) : new Map<string, unknown>();
  const after = isRecord(detail['after']) ? leaves(detail['after'], '', new Map()) : new Map<string, unknown>();
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, before: textOf(before.get(field)), after: textOf(after.get(field)) }))
    .filter((change) => change.before !== change.after);
}

/** What an entry says beside before and after. */
export const factsOf = (detail: Record<string, unknown>): { label: string; value: string }[] =>
  Object.entries(detail)
    .filter(([key]) => key !== 'before' && key !== 'after')
    .map(([label, value]) => ({ label, value: textOf(value) ?? '—' }));

/** One line that says what it was about. */
export function summaryOf(detail: Record<string, unknown>): string {
  const changes = changesOf(detail).map(({ field, before, after }) => `${field}: ${before ?? '—'} → ${after ?? '—'}`);
  return [...factsOf(detail).map(({ label, value }) => `${label}: ${value}`), ...changes].join(' · ');
}
