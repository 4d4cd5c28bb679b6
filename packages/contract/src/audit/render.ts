import { YES_NO, nameText, say, type Locale, type Text } from '../core/text.ts';
import type { AuditEntity } from './actions.ts';
import { AUDIT_FIELD_OF_ACTION, AUDIT_FIELD_OF_ENTITY, AUDIT_FIELD_TEXT, type AuditField } from './fields.ts';
import { keptName, REF_OF_ENTITY, refIn, toldName, type AuditRef } from './names.ts';
import { SETTINGS } from '../setting/settings.ts';

/** Fields of an audit entry from which its text is derived. */
export interface AuditTold {
  action: string;
  entity: string;
  entityId: string | null;
  detail: Record<string, unknown>;
}

export interface AuditSpeech {
  locale: Locale;
  /** Formats an instant for the reader. */
  dateTime: (at: string) => string;
}

interface AuditFact {
  /** Stored field names joined by dots. */
  path: string;
  label: string;
  /** Undefined: no value. */
  value: string | undefined;
}

interface AuditChange {
  path: string;
  label: string;
  before: string | undefined;
  after: string | undefined;
}

type Table<T> = Readonly<Record<string, T | undefined>>;

const NOTHING = '—';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

const RANK = new Map(Object.keys(AUDIT_FIELD_TEXT).map((name, index) => [name, index]));

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Entries in the order of the label table, because jsonb does not preserve order; fields without a label come last. */
const inOrder = (record: Record<string, unknown>): [string, unknown][] =>
  Object.entries(record).sort(([one], [other]) => (RANK.get(one) ?? RANK.size) - (RANK.get(other) ?? RANK.size));

/** Label of a field in an entry; undefined: none, as in entries of later versions. */
function fieldAt({ action, entity, entityId }: AuditTold, path: readonly string[]): AuditField | undefined {
  if (action === 'setting_changed' && path.length === 1 && path[0] === 'value')
    return (SETTINGS as Table<{ text: Text }>)[entityId ?? '']?.text ?? AUDIT_FIELD_TEXT['value'];
  const full = path.join('.');
  const ofAction = (AUDIT_FIELD_OF_ACTION as Table<Table<AuditField>>)[action];
  return ofAction?.[full] ?? AUDIT_FIELD_OF_ENTITY[entity]?.[full] ?? AUDIT_FIELD_TEXT[path.at(-1) ?? ''];
}

function nameOf(told: AuditTold, path: readonly string[], locale: Locale): string {
  const field = fieldAt(told, path);
  const above = fieldAt(told, path.slice(0, -1));
  if (field === undefined && above?.keyRef !== undefined)
    return keptName(told.detail, above.keyRef, path.at(-1) ?? '', locale) ?? path.at(-1) ?? '';
  return field === undefined ? (path.at(-1) ?? '') : say(field, locale);
}

const labelOf = (told: AuditTold, path: readonly string[], { locale }: AuditSpeech): string =>
  path.map((_, index) => nameOf(told, path.slice(0, index + 1), locale)).join(' › ');

/** Formats a value in the language of the reader; undefined: no value. */
function spoken(told: AuditTold, path: readonly string[], value: unknown, speech: AuditSpeech, side = told.detail): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const { locale, dateTime } = speech;
  if (typeof value === 'boolean') return say(YES_NO[`${value}`], locale);
  if (Array.isArray(value)) {
    const parts = value.map((one) => spoken(told, path, one, speech, side) ?? NOTHING);
    return parts.length === 0 ? undefined : parts.join(value.some(isRecord) ? '; ' : ', ');
  }
  if (isRecord(value)) {
    const inner = inOrder(value).map(([key, one]) => {
      const at = [...path, key];
      return `${nameOf(told, at, locale)}: ${spoken(told, at, one, speech, value) ?? NOTHING}`;
    });
    return inner.length === 0 ? undefined : inner.join(', ');
  }
  const text = String(value);
  const field = fieldAt(told, path) ?? fieldAt(told, path.slice(0, -1));
  const ref = field?.ref === undefined ? undefined : refIn(field.ref, side);
  const name = ref === undefined ? undefined : keptName(told.detail, ref, text, locale);
  if (name !== undefined) return name;
  const words = field?.words;
  if (words !== undefined && Object.hasOwn(words, text)) return say(words[text] ?? nameText(text), locale);
  if (field?.unit !== undefined && typeof value === 'number') return `${text} ${field.unit}`;
  return INSTANT.test(text) ? dateTime(text) : text;
}

type Leaf = readonly [path: readonly string[], value: unknown];

/** Flattens nested fields to paths, so that a diff lists only the leaves that differ. */
function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (!isRecord(value)) return [[path, value]];
  const entries = inOrder(value);
  return entries.length === 0 && path.length > 0 ? [[path, undefined]] : entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** Changed fields of an entry; fields with the same text on both sides are left out. */
export function changesOf(told: AuditTold, speech: AuditSpeech): AuditChange[] {
  const sides = [told.detail['before'], told.detail['after']].map(
    (side) => new Map(isRecord(side) ? leavesOf(side).map(([path, value]) => [path.join('.'), { path, value }]) : []),
  );
  const [before, after] = sides;
  return [...new Set(sides.flatMap((side) => [...side.keys()]))].flatMap((key) => {
    const was = before?.get(key);
    const is = after?.get(key);
    const path = is?.path ?? was?.path ?? [];
    const [sideBefore, sideAfter] = [told.detail['before'], told.detail['after']].map((side) => (isRecord(side) ? side : undefined));
    const said = {
      before: spoken(told, path, was?.value, speech, sideBefore),
      after: spoken(told, path, is?.value, speech, sideAfter),
    };
    return said.before === said.after ? [] : [{ path: key, label: labelOf(told, path, speech), ...said }];
  });
}

/** Parts of a detail that are not facts. */
const ASIDE = new Set(['before', 'after', 'names']);

const factLeaves = ({ detail }: AuditTold): Leaf[] =>
  inOrder(detail).flatMap(([key, value]) => (ASIDE.has(key) ? [] : leavesOf(value, [key])));

/** Facts of an entry: its detail without `before`, `after` and `names`. */
export const factsOf = (told: AuditTold, speech: AuditSpeech): AuditFact[] =>
  factLeaves(told).map(([path, value]) => ({
    path: path.join('.'),
    label: labelOf(told, path, speech),
    value: spoken(told, path, value, speech),
  }));

/** Summary of an entry in one line. */
export function summaryOf(told: AuditTold, speech: AuditSpeech): string {
  const facts = factsOf(told, speech).map(({ label, value }) => `${label}: ${value ?? NOTHING}`);
  const changes = changesOf(told, speech).map(({ label, before, after }) => `${label}: ${before ?? NOTHING} → ${after ?? NOTHING}`);
  return [...facts, ...changes].join(' · ');
}

/** Paths in the detail that have no label, including those within lists. Keys below free fields need none. */
export function unspokenOf(told: AuditTold): string[] {
  const visit = (value: unknown, path: readonly string[]): string[] => {
    if (Array.isArray(value)) return value.flatMap((one) => visit(one, path));
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      const at = [...path, key];
      const field = fieldAt(told, at);
      return [...(field === undefined ? [at.join('.')] : []), ...(field?.isFree ? [] : visit(inner, at))];
    });
  };
  const { before, after, names: _, ...facts } = told.detail;
  return [...new Set([before, after, facts].flatMap((part) => visit(part, [])))];
}

/** Object of entries about the limits and the emergency stop. */
const RELAY_CONTROL: Text = { en: 'All relays', zh: '全部继电器' };

/** Name of an entry's object at the time of the entry; undefined: the entry has no object. */
export function objectOf(told: AuditTold, locale: Locale): string | undefined {
  const { entity, entityId, detail } = told;
  if (entity === 'setting') return say((SETTINGS as Table<{ text: Text }>)[entityId ?? '']?.text ?? nameText(entityId ?? ''), locale);
  if (entity === 'call') return entityId ?? undefined;
  if (entity === 'relay') return say(RELAY_CONTROL, locale);
  const ref = (REF_OF_ENTITY as Table<AuditRef | null>)[entity];
  const kept = ref && entityId !== null ? keptName(detail, ref, entityId, locale) : undefined;
  return kept ?? toldName(detail) ?? (entityId === null ? undefined : `#${entityId}`);
}

export interface AuditId {
  ref: AuditRef;
  id: string;
}

const isWord = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** Ids in an entry that refer to named objects: the object of the entry, and those in its detail. */
export function idsIn(told: AuditTold): AuditId[] {
  const ids: AuditId[] = [];
  const add = (ref: AuditRef | null | undefined, id: unknown) => {
    if (ref && isWord(id) && id !== '') ids.push({ ref, id: String(id) });
  };
  add((REF_OF_ENTITY as Table<AuditRef | null>)[told.entity], told.entityId);
  const visit = (value: unknown, path: readonly string[], side: Record<string, unknown>): void => {
    const field = path.length === 0 ? undefined : fieldAt(told, path);
    if (Array.isArray(value)) for (const one of value) visit(one, path, side);
    else if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) {
        add(field?.keyRef, field?.keyRef === undefined ? undefined : key);
        if (field?.isFree !== true) visit(inner, [...path, key], value);
      }
    } else if (field?.ref !== undefined) add(refIn(field.ref, side), value);
  };
  const { before, after, names: _, ...facts } = told.detail;
  for (const part of [facts, before, after]) if (isRecord(part)) visit(part, [], part);
  return ids;
}

/** Ids in an entry that lack a name, including its object. */
export const unnamedOf = (told: AuditTold): string[] => [
  ...idsIn(told).flatMap(({ ref, id }) =>
    keptName(told.detail, ref, id, 'en-US') === undefined && !(ref === REF_OF_ENTITY[told.entity as AuditEntity] && id === told.entityId)
      ? [`${ref} ${id}`]
      : [],
  ),
  ...(objectOf(told, 'en-US')?.startsWith('#') === true ? [`${told.entity} ${told.entityId}`] : []),
];
