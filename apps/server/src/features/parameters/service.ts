import type { DcuTemplate } from '@hes/contract/action/dcu-config.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { parameterOf, refusalOf } from '@hes/contract/action/dcu-parameter.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { placeOrder, refuseWithoutPart } from '#tasks/place-order.ts';
import type { OrderedDevice } from '#tasks/operation.ts';
import { deleteTemplate, findDcus, listTemplates, markWriting, upsertTemplate } from './list-queries.ts';

const HOUR_MS = 3_600_000;
const RING_FACTOR = 4;
const NAME = { en: 'Template name', zh: '模板名称' };

type Values = Readonly<Record<string, string>>;

async function dcusFor(ctx: Context, user: User, ids: readonly string[]): Promise<{ id: string; sn: string }[]> {
  const unique = [...new Set(ids)];
  const found = await findDcus(ctx.db, user, unique);
  const known = new Set(found.map((dcu) => dcu.id));
  const missing = unique.find((id) => !known.has(id));
  if (missing !== undefined) throw new ApiError('DCU_NOT_FOUND', { id: missing });
  return found;
}

const itemsOf = (dcus: readonly { id: string }[]): OrderedDevice[] =>
  dcus.map(({ id }) => ({ deviceKind: 'dcu', dcuId: id, meterId: null }));

function checkValues(values: Values, locale: Locale): void {
  const issues = Object.entries(values).flatMap(([key, value]) => {
    const refusal = refusalOf(key, value);
    return refusal === undefined ? [] : [{ field: `values.${key}`, message: say(refusal, locale) }];
  });
  if (issues.length > 0) throw new ApiError('VALIDATION', {}, issues);
}

export async function readParameters(ctx: Context, who: Who, order: { dcuIds: readonly string[]; keys: readonly string[] }) {
  const items = itemsOf(await dcusFor(ctx, who.user, order.dcuIds));
  const keys = order.keys.filter((key) => parameterOf(key) !== undefined);
  return ctx.db.transaction().execute((tx) => placeOrder(tx, ctx, who, 'dcu_config_read', { params: { keys }, items }));
}

/** Divides DCUs into rings: each ring is four times as large as the one before. */
export function ringsOf<T>(all: readonly T[], first: number): T[][] {
  const rings: T[][] = [];
  for (let at = 0, size = first; at < all.length; size *= RING_FACTOR) {
    rings.push(all.slice(at, at + size));
    at += size;
  }
  return rings;
}

export interface WriteOrder {
  dcuIds: readonly string[];
  values: Values;
  reason: string;
  firstRing: number;
  canaryS: number;
  waitHours: number;
  trialS: number;
}

export async function writeParameters(ctx: Context, who: Who, order: WriteOrder, locale: Locale): Promise<{ taskId: string }> {
  const { user } = who;
  const { values, reason, firstRing, canaryS, waitHours, trialS } = order;
  checkValues(values, locale);
  const keys = Object.keys(values);
  if (keys.length === 0) throw new ApiError('NOTHING_TO_DO');
  const dcus = await dcusFor(ctx, user, order.dcuIds);
  const now = ctx.clock.now();
  const rings = ringsOf(
    dcus.map(({ id }) => id),
    firstRing,
  );
  return ctx.db.transaction().execute(async (tx) => {
    await refuseWithoutPart(tx, 'dcu_config_write', itemsOf(dcus), 'any');
    const ordered = await placeOrder(tx, ctx, who, 'dcu_config_write', {
      params: { values, trialS, canaryS, rings },
      reason,
      // New link parameters make the DCU reconnect, and later rings start after the first.
      waitsForDevice: waitHours > 0 || keys.some((key) => parameterOf(key)?.risk === 'link') || dcus.length > firstRing,
      expiresAt: new Date(now + Math.max(1, waitHours) * HOUR_MS + rings.length * canaryS * 1000),
      items: itemsOf(dcus),
      record: { detail: { reason, dcus: dcus.map(({ sn }) => sn), ...values } },
      request: { ...values },
    });
    const dcuIds = dcus.map((dcu) => dcu.id);
    for (const [key, value] of Object.entries(values)) await markWriting(tx, { dcuIds, key, value, userId: user.id });
    return ordered;
  });
}

/** Orders a restart, or a factory reset when `sn` confirms the serial number, of one DCU. */
export async function orderScript(ctx: Context, who: Who, order: { id: string; reason: string; sn?: string }): Promise<{ taskId: string }> {
  const { id, sn, reason } = order;
  const dcus = await dcusFor(ctx, who.user, [id]);
  if (sn !== undefined && sn.trim().toUpperCase() !== dcus[0]?.sn) throw new ApiError('WRONG_SN', {}, 'sn');
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, sn === undefined ? 'dcu_restart' : 'dcu_factory', {
      params: {},
      reason,
      items: itemsOf(dcus),
      record: { detail: { reason, dcus: dcus.map((dcu) => dcu.sn) } },
    }),
  );
}

export async function saveTemplate(
  ctx: Context,
  { user, ip }: Who,
  { name, values, replaces }: { name: string; values: Values; replaces?: string | undefined },
  locale: Locale,
): Promise<DcuTemplate> {
  checkValues(values, locale);
  const now = ctx.clock.now();
  const id = await ctx.db.transaction().execute(async (tx) => {
    const savedId = await upsertTemplate(tx, { name, values, replaces }, user.id);
    if (savedId === null) throw new ApiError('DUPLICATE', { field: NAME, value: name }, 'name');
    const entry = {
      userId: user.id,
      action: 'dcu_template_saved',
      entity: 'dcu_param_template',
      entityId: savedId,
      detail: { name, values },
      ip,
    } as const;
    await writeAudit(tx, entry, now);
    return savedId;
  });
  const [row] = await listTemplates(ctx.db, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

export async function removeTemplate(ctx: Context, { user, ip }: Who, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const name = await deleteTemplate(tx, id);
    if (name === undefined) throw new ApiError('NOT_FOUND');
    const entry = {
      userId: user.id,
      action: 'dcu_template_deleted',
      entity: 'dcu_param_template',
      entityId: id,
      detail: { name },
      ip,
    } as const;
    await writeAudit(tx, entry, ctx.clock.now());
  });
}
