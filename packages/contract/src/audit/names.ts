import { LANGUAGES, type Locale } from '../core/text.ts';
import type { AuditEntity } from './actions.ts';

/** Kinds of objects whose ids occur in audit entries; their names are stored with the entry. */
export const AUDIT_REFS = [
  'user',
  'role',
  'module',
  'page',
  'network_level',
  'supplier',
  'southbound_profile',
  'dcu_type',
  'meter_type',
  'transformer',
  'dcu',
  'meter',
  'task',
  'event',
  'event_code',
  'collect_plan',
  'obis_code',
  'dcu_param_template',
  'certificate',
  'firmware',
  'upgrade_job',
  'bill_period',
] as const;
export type AuditRef = (typeof AUDIT_REFS)[number];

/** Names by kind and id at the time of the entry. They are part of its detail as `names`, so the hash chain covers them. */
export type AuditNames = Partial<Record<AuditRef, Record<string, KeptName>>>;

/** Kind of an entity's id; null: the id is text, or there is none. */
export const REF_OF_ENTITY: Readonly<Record<AuditEntity, AuditRef | null>> = {
  user: 'user',
  role: 'role',
  module: 'module',
  setting: null,
  audit: null,
  import: null,
  export: null,
  network_level: 'network_level',
  supplier: 'supplier',
  dcu_type: 'dcu_type',
  meter_type: 'meter_type',
  transformer: 'transformer',
  meter_template: 'southbound_profile',
  dcu: 'dcu',
  meter: 'meter',
  reading: 'meter',
  gap: null,
  plc_module: 'dcu',
  event: 'event',
  event_code: 'event_code',
  task: 'task',
  collect_plan: 'collect_plan',
  obis_code: 'obis_code',
  archive: 'dcu',
  relay: null,
  certificate: 'certificate',
  dcu_param_template: 'dcu_param_template',
  discovery: null,
  firmware: 'firmware',
  upgrade_job: 'upgrade_job',
  bill_period: 'bill_period',
  tariff_price: null,
  anomaly: 'meter',
  call: null,
  node: null,
  sender: null,
  alarm: null,
  identity_provider: null,
  alarm_rule: null,
  alarm_channel: null,
  alarm_recipient: null,
};

/** Kind to which an id field refers; `targets` and `types` depend on the sibling field `targetKind`. */
export type FieldRef = AuditRef | 'targets' | 'types';

const OF_TARGET_KIND: Readonly<Record<string, AuditRef | undefined>> = {
  level: 'network_level',
  transformer: 'transformer',
  dcu: 'dcu',
  meter: 'meter',
};

/** Kind of the ids in a field of a record; undefined if `targetKind` does not determine it. */
export function refIn(ref: FieldRef, side: Record<string, unknown>): AuditRef | undefined {
  const targetKind = String(side['targetKind']);
  if (ref === 'targets') return OF_TARGET_KIND[targetKind];
  if (ref === 'types') return targetKind === 'meter' ? 'meter_type' : 'dcu_type';
  return ref;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name that is stored with an entry, with its parameters inserted: one for all languages, or one for each. */
export type KeptName = string | Readonly<Record<string, string>>;

/** Name stored with an entry; undefined: none. */
export function keptName(detail: Record<string, unknown>, ref: AuditRef, id: string, locale: Locale): string | undefined {
  const ofRef = isRecord(detail['names']) ? detail['names'][ref] : undefined;
  const name = isRecord(ofRef) ? ofRef[id] : undefined;
  if (typeof name === 'string') return name;
  return isRecord(name) ? String(name[LANGUAGES[locale].language] ?? name['en']) : undefined;
}

/** Fields that name the object of an entry, by preference. */
const NAMING = [
  'name',
  'username',
  'sn',
  'dcuSn',
  'deviceSn',
  'meterSn',
  'nameEn',
  'key',
  'code',
  'file',
  'list',
  'validFrom',
  'sns',
  'dcus',
];
const SHOWN_OF_LIST = 3;

/** Name of an entry's object from the detail; the only source for deleted objects and for several objects. */
export function toldName({ before, after, ...facts }: Record<string, unknown>): string | undefined {
  for (const side of [facts, before, after])
    for (const key of NAMING) {
      const value = isRecord(side) ? side[key] : undefined;
      if (typeof value === 'string' && value !== '') return value;
      if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
        return value.slice(0, SHOWN_OF_LIST).join(', ') + (value.length > SHOWN_OF_LIST ? ` … (${value.length})` : '');
    }
  return undefined;
}
