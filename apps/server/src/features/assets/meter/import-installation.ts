import { archive } from '@hes/contract/asset/archive.ts';
import { ERRORS } from '@hes/contract/core/errors.ts';
import { installationImport } from '@hes/contract/transfer/devices.ts';
import type { z } from 'zod';
import type { Change } from '#db/changes.ts';
import type { Db, Tx } from '#db/context.ts';
import { devicesBySn, transformersByCode } from '#db/master-lookup.ts';
import { holderOf } from '#db/scope.ts';
import { bindInside, findOrderDcus } from '#features/archive/port.ts';
import { givenSecrets, keyJudge, keysIn, secretColumns, storeKeys, wrongLengths, type KeyPlan } from '#features/assets/keys/import-keys.ts';
import { findKeyDigits, findKeyed } from '#features/assets/keys/queries.ts';
import { optionalCell, textCell } from '#transfer/import/cells.ts';
import { defineImport, type ImportEnvironment, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { updateMeter } from './admin-queries.ts';
import { judgeMeters, meterColumns, writeMeters, type MeterLine, type MeterPlan } from './import-meters.ts';

const REASONS = {
  dcu: { en: 'There is no DCU {sn} in your area', zh: '您的管辖范围内不存在集中器 {sn}' },
  transformer: { en: 'There is no transformer {code} in your area', zh: '您的管辖范围内不存在变压器 {code}' },
  otherTransformer: { en: 'The DCU is at another transformer', zh: '该集中器属于其他变压器' },
  direct: { en: 'A direct meter has no DCU', zh: '直连电表不经集中器' },
};

const columns = {
  ...meterColumns,
  dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, schema: textCell(32), example: 'DCU26000099', required: true },
  transformerCode: { label: { en: 'Transformer code', zh: '变压器编码' }, schema: optionalCell(textCell(32)), example: '' },
  ...secretColumns,
};

type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };

interface Plan {
  meter: MeterPlan;
  keys: KeyPlan['change'];
  dcuId: string;
  /** Set when the DCU is at no transformer: the meter is then placed by the list. */
  transformerId: string | null;
}

/** Reads the DCUs with their transformers, the meters and the transformers that the lines name, for their judgement. */
async function findPlaces({ who: { user } }: ImportEnvironment, db: Db, rows: readonly Row[]) {
  const sns = rows.map((row) => row.dcuSn);
  const dcus = await devicesBySn(db, user, 'dcu', sns);
  const visible = [...dcus.values()].filter((dcu) => dcu.isVisible).map(({ id }) => id);
  const placed = new Map((await findOrderDcus(db, user, visible)).map((dcu) => [dcu.sn, dcu]));
  const codes = rows.map((row) => row.transformerCode);
  const transformers = await transformersByCode(db, user, codes);
  const meters = await devicesBySn(
    db,
    user,
    'meter',
    rows.map((row) => row.sn),
  );
  return { placed, transformers, meters };
}

type Places = Awaited<ReturnType<typeof findPlaces>>;

/** Faults of the DCU and the transformer of a line, and where the meter is placed. */
function placeOf(row: Row, { placed, transformers, meters }: Places) {
  const issues: LineIssue[] = [];
  const dcu = placed.get(row.dcuSn.toUpperCase());
  if (dcu === undefined) issues.push({ column: 'dcuSn', text: REASONS.dcu, params: { sn: row.dcuSn } });
  const transformerId = row.transformerCode === null ? null : transformers.get(row.transformerCode.toUpperCase());
  if (transformerId === undefined)
    issues.push({ column: 'transformerCode', text: REASONS.transformer, params: { code: row.transformerCode ?? '' } });
  else if (transformerId !== null && dcu !== undefined && dcu.transformerId !== null && dcu.transformerId !== transformerId)
    issues.push({ column: 'transformerCode', text: REASONS.otherTransformer });
  if (row.communicationMode === 'direct') issues.push({ column: 'communicationMode', text: REASONS.direct });
  const bound = meters.get(row.sn)?.dcuId ?? null;
  if (bound !== null) issues.push({ column: 'sn', text: ERRORS.ALREADY_BOUND });
  return { issues, dcuId: dcu?.id ?? '', transformerId: dcu?.transformerId === null ? (transformerId ?? null) : null };
}

/** The columns of the list of meters alone: others are no columns of a meter. */
const meterOf = (row: Row): MeterLine =>
  Object.fromEntries(Object.keys(meterColumns).map((column) => [column, row[column as keyof MeterLine]])) as MeterLine; // as: these very keys
const secretsOf = ({ ek, ak, masterKey, password }: Row) => ({ ek, ak, masterKey, password });
const hasSecret = (row: Row): boolean => Object.values(secretsOf(row)).some((value) => value !== null);

async function judge(environment: ImportEnvironment, db: Db, rows: Row[]): Promise<Judgement<Plan>[]> {
  const { ctx, who } = environment;
  const meters = await judgeMeters(environment, db, rows.map(meterOf));
  const places = await findPlaces(environment, db, rows);
  const issuesOfKeys = await keyJudge({ secrets: ctx.secrets, db, kind: 'meter' }, rows);
  const typeIds = meters.flatMap((one) => ('plan' in one ? [one.plan.meterTypeId] : []));
  const digits = await findKeyDigits(db, typeIds);
  const { page, action } = archive.bind.allow;
  const mayBind = holderOf(who.user, page, action) !== undefined;
  return rows.map((row, at): Judgement<Plan> => {
    const meter = meters[at];
    const { issues, dcuId, transformerId } = placeOf(row, places);
    if (!mayBind) issues.push({ column: 'dcuSn', text: ERRORS.BEYOND_OWN_RIGHTS });
    // Meters whose keys are set at the factory of the utility may come without keys.
    if (hasSecret(row)) issues.push(...issuesOfKeys({ ...secretsOf(row), sn: row.sn }));
    if (meter?.verdict === 'error') return { verdict: 'error', issues: [...meter.issues, ...issues] };
    if (meter === undefined || meter.verdict === 'unchanged') return { verdict: 'error', issues };
    const keyDigits = digits.get(meter.plan.meterTypeId);
    if (keyDigits !== undefined && keysIn(secretsOf(row)).length > 0) issues.push(...wrongLengths(secretsOf(row), { keyDigits }));
    if (issues.length > 0) return { verdict: 'error', issues };
    return { verdict: meter.verdict, plan: { meter: meter.plan, keys: givenSecrets(secretsOf(row)), dcuId, transformerId } };
  });
}

/** Writes the meters, then their keys, then their bindings, each with its own audit rows. */
async function write(environment: ImportEnvironment, tx: Tx, plans: Plan[]): Promise<Change[]> {
  const { who, now } = environment;
  const changes = await writeMeters(
    environment,
    tx,
    plans.map(({ meter }) => meter),
  );
  const known = await findKeyed(
    tx,
    who.user,
    'meter',
    plans.map(({ meter }) => meter.row.sn),
  );
  const keyed = plans.flatMap(({ meter, keys }): KeyPlan[] => {
    const device = known.get(meter.row.sn);
    return device === undefined || Object.keys(keys).length === 0 ? [] : [{ device, change: keys }];
  });
  if (keyed.length > 0) changes.push(...(await storeKeys(environment, tx, 'meter', keyed)));
  const { page, action } = archive.bind.allow;
  const binder = { ...who, user: holderOf(who.user, page, action) ?? who.user };
  const idOf = ({ meter }: Plan) => known.get(meter.row.sn)?.id ?? '';
  for (const [dcuId, group] of Map.groupBy(plans, (plan) => plan.dcuId))
    await bindInside(tx, binder, { dcuId, meterIds: group.map(idOf) }, now);
  for (const plan of plans) if (plan.transformerId !== null) await updateMeter(tx, idOf(plan), { transformerId: plan.transformerId }, now);
  return changes;
}

/** Import of delivered meters with their DCU and keys: adds or updates, keys and binds them in one transaction. */
export const installationList = defineImport<typeof columns, Plan>({
  routes: installationImport,
  title: { en: 'Meters with DCU and keys', zh: '电表、集中器与密钥' },
  columns,
  unique: ['sn'],
  judge,
  write,
});
