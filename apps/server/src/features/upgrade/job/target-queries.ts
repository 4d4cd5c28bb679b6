import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { authenticationType } from '@hes/contract/states/device.ts';
import { SECRETS_OF } from '@hes/contract/asset/spoken.ts';
import type { PreflightIssue, UpgradeProtocol, UpgradeTarget } from '@hes/contract/states/upgrade.ts';
import { MAX_UPGRADE_TARGETS, type UpgradeSelection } from '@hes/contract/upgrade/job.ts';
import { kindsWhere } from '@hes/contract/orders/every-order.ts';
import { sql, type RawBuilder } from 'kysely';
import { findSignalLimits, type SignalSetting } from '#features/archive/port.ts';
import { dcuHas } from '#db/dcu-parts.ts';
import { dcuUnder, meterUnder, visible } from '#db/scope.ts';
import { mayFollow } from '#features/upgrade/transfer/chain.ts';
import { IMAGE_PARTS } from '#features/upgrade/transfer/wire.ts';
import { ENDS_SQL } from '#features/upgrade/transfer/row-queries.ts';
import type { Db, User } from '#db/context.ts';

/** A device selected for an upgrade. */
export interface Target {
  id: string;
  sn: string;
  dcuId: string | null;
  dcuSn: string | null;
  transformerName: string | null;
  typeName: string;
  version: string | null;
  wrongType: boolean;
  /** The profile of the DCU has no image of this kind. */
  noImage: boolean;
  notInService: boolean;
  keysMissing: boolean;
  inOtherJob: boolean;
  offline: boolean;
  signalWeak: boolean;
  clockOff: boolean;
  relayOrderOpen: boolean;
  batteryLow: boolean;
  seriousEvent: boolean;
}

/** Requirements of the firmware for its targets. */
export interface Wanted {
  targetKind: UpgradeTarget;
  types: readonly { id: string }[];
  version: string;
  fromVersions: readonly string[];
  upgradeProtocol: UpgradeProtocol;
}

const CLOCK_LIMIT_MS = 60_000;
/** Codes in the standard event logs of meters and DCUs: replace battery, battery voltage low. */
const BATTERY_CODES = [7, 8];

type Table = 'meter' | 'dcu';

function chosen(table: Table, { ids, sns, node, typeIds, versions }: UpgradeSelection): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [];
  const isNamed = ids.length + sns.length > 0;
  if (isNamed)
    conditions.push(sql<boolean>`(${sql.ref(`${table}.id`)} = any(${ids}::bigint[]) or ${sql.ref(`${table}.sn`)} = any(${sns}::text[]))`);
  if (node !== undefined) conditions.push(table === 'meter' ? meterUnder(node) : dcuUnder(node));
  if (typeIds.length > 0) conditions.push(sql<boolean>`${sql.ref(`${table}.${table}_type_id`)} = any(${typeIds}::bigint[])`);
  if (versions.length > 0) conditions.push(sql<boolean>`coalesce(${sql.ref(`${table}.firmware_version`)}, '') = any(${versions}::text[])`);
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

const openRecord = (
  table: Table,
  kind: UpgradeTarget,
) => sql`exists (select from upgrade_record r where r.target_kind = ${kind} and r.device_kind = ${table}
  and r.device_id = ${sql.ref(`${table}.id`)} and r.status not in (${sql.raw(ENDS_SQL)}))`;
const seriousEvent = (table: Table) => sql`exists (select from event e where e.device_kind = ${table} and e.abnormal_level = 'serious'
  and e.occur_at > now() - interval '1 day' and ${table === 'meter' ? sql`e.meter_id = meter.id` : sql`e.dcu_id = dcu.id`})`;
const clockOff = (
  table: Table,
) => sql`exists (select from device_clock c where c.device_kind = ${table} and c.device_id = ${sql.ref(`${table}.id`)}
  and (c.deviation_ms is null or abs(c.deviation_ms) > ${CLOCK_LIMIT_MS}))`;

const batteryLow = (table: Table) => sql`exists (select from event e where e.device_kind = ${table} and e.log in ('standard', 'dcu')
  and e.code = any(${BATTERY_CODES}::int[]) and e.recovered_at is null and e.occur_at > now() - interval '30 days'
  and ${table === 'meter' ? sql`e.meter_id = meter.id` : sql`e.dcu_id = dcu.id`})`;
/** Weak or unknown signal in the last topology of its DCU; false for a meter that is not in it. */
const signalWeak = ({ plcSnrDb, rfRssiDbm }: SignalSetting) => sql`exists (select from topology_node n
  where n.sn = meter.sn and n.dcu_id = meter.dcu_id and coalesce(n.signal_value < case n.link when 'rf' then ${rfRssiDbm[3]}::int else ${plcSnrDb[3]}::int end, true))`;

const authenticationsWith = (secret: keyof StoredKeys) => authenticationType.options.filter((word) => SECRETS_OF[word].includes(secret));
/** Whether a secret is missing that the authentication of the device needs. */
const lacksSecrets = (authentication: RawBuilder<unknown>, isCiphered: RawBuilder<unknown>, table: Table) => sql<boolean>`(
  (${isCiphered} or ${authentication} = any(${authenticationsWith('ek')}::text[])) and ${sql.ref(`${table}.ek_secret`)} is null
  or ${authentication} = any(${authenticationsWith('password')}::text[]) and ${sql.ref(`${table}.password_secret`)} is null)`;

/** The devices of a selection that the user may see. */
export async function findTargets(db: Db, user: User, wanted: Wanted, selection: UpgradeSelection): Promise<Target[]> {
  const types = wanted.types.map((type) => type.id);
  const rows =
    wanted.targetKind === 'meter'
      ? sql<Target>`
        select meter.id, meter.sn, meter.dcu_id, dcu.sn as dcu_sn, transformer.name as transformer_name, t.name as type_name,
          meter.firmware_version as version, not (meter.meter_type_id = any(${types}::bigint[])) as wrong_type, false as no_image,
          (meter.inventory_state = 'in_warehouse' or meter.dcu_id is null) as not_in_service,
          ${lacksSecrets(sql.ref('t.authentication_type'), sql`t.ciphering = 'always'`, 'meter')} as keys_missing, ${openRecord('meter', 'meter')} as in_other_job,
          coalesce(endpoint.online_status, 'never') <> 'online' as offline, ${signalWeak(await findSignalLimits(db))} as signal_weak,
          ${clockOff('meter')} as clock_off,
          exists (select from task_item i where i.meter_id = meter.id and i.kind = any(${kindsWhere(({ danger }) => danger === 'supply')}::text[]) and i.phase = 'open') as relay_order_open,
          ${batteryLow('meter')} as battery_low, ${seriousEvent('meter')} as serious_event
        from meter join meter_type t on t.id = meter.meter_type_id left join dcu on dcu.id = meter.dcu_id left join endpoint on endpoint.id = meter.dcu_id
        left join transformer on transformer.id = meter.transformer_id
        where ${visible('meter.transformerId', user)} and ${chosen('meter', selection)} order by meter.sn limit ${MAX_UPGRADE_TARGETS + 1}`
      : sql<Target>`
        select dcu.id, dcu.sn, dcu.id as dcu_id, dcu.sn as dcu_sn, transformer.name as transformer_name, t.name as type_name,
          ${wanted.targetKind === 'dcu' ? sql`dcu.firmware_version` : sql`null`} as version, not (dcu.dcu_type_id = any(${types}::bigint[])) as wrong_type,
          not ${dcuHas(IMAGE_PARTS[wanted.targetKind], sql.ref('dcu.id'))} as no_image,
          false as not_in_service, ${lacksSecrets(sql.ref('dcu.authentication_type'), sql`false`, 'dcu')} as keys_missing,
          ${openRecord('dcu', wanted.targetKind)} as in_other_job, dcu.online_status <> 'online' as offline,
          false as signal_weak, ${clockOff('dcu')} as clock_off, false as relay_order_open, ${batteryLow('dcu')} as battery_low,
          ${seriousEvent('dcu')} as serious_event
        from dcu join dcu_type t on t.id = dcu.dcu_type_id left join transformer on transformer.id = dcu.transformer_id
        where ${visible('dcu.transformerId', user)} and ${chosen('dcu', selection)} order by dcu.sn limit ${MAX_UPGRADE_TARGETS + 1}`;
  return (await rows.execute(db)).rows;
}

const FLAGS = [
  ['wrongType', 'wrong_type'],
  ['noImage', 'no_image'],
  ['notInService', 'not_in_service'],
  ['keysMissing', 'keys_missing'],
  ['inOtherJob', 'in_other_job'],
  ['offline', 'offline'],
  ['signalWeak', 'signal_weak'],
  ['clockOff', 'clock_off'],
  ['relayOrderOpen', 'relay_order_open'],
  ['batteryLow', 'battery_low'],
  ['seriousEvent', 'serious_event'],
] as const satisfies readonly (readonly [keyof Target, PreflightIssue])[];

/** Issues of a target, both those that block its upgrade and warnings. */
export function issuesOf(target: Target, wanted: Wanted): PreflightIssue[] {
  const issues: PreflightIssue[] = FLAGS.filter(([flag]) => target[flag]).map(([, issue]) => issue);
  // File pull differs by manufacturer, and no profile describes it: such firmware is rejected.
  if (wanted.upgradeProtocol === 'vendor_file_pull') issues.push('no_pull');
  if (target.version === wanted.version) issues.push('same_version');
  else if (target.version !== null && !mayFollow(target.version, wanted)) issues.push('not_in_chain');
  // The version of a module is known only after it was read.
  if (target.version === null && (wanted.targetKind === 'meter' || wanted.targetKind === 'dcu')) issues.push('version_unknown');
  return issues;
}
