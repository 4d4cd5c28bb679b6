import { randomBytes, randomUUID } from 'node:crypto';
import type { ChannelConfig, ChannelFields, ChannelRow } from '@hes/contract/alarm/channel.ts';
import { namesRecipient } from '@hes/contract/alarm/template.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { changedFields, newSecretsIn, startOfValue } from '#db/audit.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { isoOrNull, pageOf } from '#db/paging.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { requireWholeNetwork } from '#features/deliveries/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { GuardedHttp } from '#platform/guarded-http.ts';
import {
  deleteChannel,
  findChannel,
  findChannels,
  findCountedChannel,
  findRulesOfChannel,
  insertChannel,
  purposeOf,
  setChannelPaused,
  updateChannel,
  type ChannelValues,
  type CountedChannel,
  type StoredChannel,
} from './channel-queries.ts';
import { testContent } from './compose.ts';
import { findRecipients } from './message-queries.ts';
import { openSecret, postMessage, type ChannelSecret } from './post-message.ts';
import { hasStepWithoutRecipients } from './rule-queries.ts';
import { auditAlarms, NAME } from './rights.ts';

const KEY_OCTETS = 32;

const targetOf = ({ host, port }: ChannelConfig, url: string): string => (url === '' ? `${host}:${port}` : (URL.parse(url)?.host ?? ''));

function rowOf(channel: CountedChannel): ChannelRow {
  const { id, name, kind, config, target, hasSecret, isPaused, failures, waiting, version } = channel;
  return {
    ...config,
    id,
    name,
    kind,
    waiting,
    version,
    target,
    hasSecret,
    state: isPaused ? 'paused' : failures > 0 ? 'failing' : 'running',
    lastSuccessAt: isoOrNull(channel.lastSuccessAt),
    lastFailureAt: isoOrNull(channel.lastFailureAt),
    failure: channel.failureCode,
    failureDetail: channel.failureDetail,
  };
}

export async function listChannels(ctx: Context, user: User, query: { search?: string | undefined; page: number; size: number }) {
  requireWholeNetwork(user);
  return pageOf((await findChannels(ctx.db, query.search)).map(rowOf), query);
}

async function getChannel(ctx: Pick<Context, 'db'>, id: string): Promise<ChannelRow> {
  const found = await findCountedChannel(ctx.db, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return rowOf(found);
}

/** The fields without secrets. */
const configOf = ({ name: _name, kind: _kind, secret: _secret, url: _url, ...config }: ChannelFields): ChannelConfig => config;
const seal = ({ secrets }: Pick<Context, 'secrets'>, ref: string, secret: ChannelSecret): Buffer =>
  secrets.seal(Buffer.from(JSON.stringify(secret)), purposeOf({ ref }));
const auditOf = ({ name, target, config }: ChannelValues) => ({ ...config, ca: startOfValue(config.ca), name, target });

export async function createChannel(ctx: Context, who: Who, fields: ChannelFields): Promise<ChannelRow> {
  requireWholeNetwork(who.user);
  const ref = randomUUID();
  const config = configOf(fields);
  const url = fields.kind === 'webhook' ? fields.url : '';
  const sealed = seal(ctx, ref, { url, secret: fields.secret, key: randomBytes(KEY_OCTETS).toString('hex') });
  const values = { name: fields.name, config, target: targetOf(config, url), hasSecret: fields.secret !== '' };
  const id = await ctx.db.transaction().execute(async (tx) => {
    const write = insertChannel(tx, { ...values, kind: fields.kind, ref, secret: sealed });
    const created = await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, write);
    const detail = { after: auditOf(values) };
    await auditAlarms(tx, ctx, who, 'alarm_channel_created', { entity: 'alarm_channel', id: created, detail });
    return created;
  });
  return getChannel(ctx, id);
}

async function takeChannel(tx: Tx, { user }: Who, id: string): Promise<StoredChannel> {
  const found = await findChannel(tx, id, true);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  return found;
}

/** Fields that decide who receives a secret. With others, a kept secret would leave for a server that its owner did not choose. */
const ADDRESSEE = ['host', 'port', 'security', 'username', 'ca'] as const;

/** The secrets after a change, sealed; null: they stay as they are. */
function secretAfter(ctx: Context, stored: StoredChannel, fields: ChannelFields): Buffer | null {
  const url = stored.kind === 'webhook' ? fields.url : '';
  const isMoved = url !== '' || ADDRESSEE.some((field) => fields[field] !== stored.config[field]);
  if (isMoved && stored.hasSecret && fields.secret === '')
    throw new ApiError('VALIDATION', {}, [{ field: 'secret', message: RULES.secretAgain }]);
  if (url === '' && fields.secret === '') return null;
  const before = openSecret(ctx, stored);
  const secret = fields.secret === '' ? before.secret : fields.secret;
  return seal(ctx, stored.ref, { ...before, secret, url: url === '' ? before.url : url });
}

/** Refuses fields that do not fit the kind of the channel, which stays. */
function requireFields(stored: StoredChannel, fields: ChannelFields): void {
  if (fields.kind !== stored.kind) throw new ApiError('VALIDATION', {}, 'kind');
}

/** Refuses a template that names recipients while a step of the channel has none. The lock of the channel keeps new steps away. */
async function requireRecipients(tx: Tx, id: string, { kind, template }: ChannelFields): Promise<void> {
  if (kind === 'webhook' && namesRecipient(template) && (await hasStepWithoutRecipients(tx, id)))
    throw new ApiError('VALIDATION', {}, [{ field: 'template', message: RULES.namedRecipient }]);
}

export async function changeChannel(
  ctx: Context,
  who: Who,
  { id, version, ...fields }: ChannelFields & { id: string; version: number },
): Promise<ChannelRow> {
  await ctx.db.transaction().execute(async (tx) => {
    const stored = await takeChannel(tx, who, id);
    if (stored.version !== version) throw stale(await getChannel({ db: tx }, id));
    requireFields(stored, fields);
    await requireRecipients(tx, id, fields);
    const secret = secretAfter(ctx, stored, fields);
    const config = configOf(fields);
    const target = stored.kind === 'webhook' && fields.url === '' ? stored.target : targetOf(config, fields.url);
    const values = { name: fields.name, config, target, hasSecret: stored.hasSecret || fields.secret !== '' };
    await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, updateChannel(tx, id, { ...values, secret }));
    const entered = { secret: fields.secret, url: stored.kind === 'webhook' ? fields.url : '' };
    const detail = { name: stored.name, ...changedFields(auditOf(stored), auditOf(values)), ...newSecretsIn(entered) };
    await auditAlarms(tx, ctx, who, 'alarm_channel_changed', { entity: 'alarm_channel', id, detail });
  });
  return getChannel(ctx, id);
}

export const removeChannel = (ctx: Context, who: Who, id: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { name } = await takeChannel(tx, who, id);
    const rules = await findRulesOfChannel(tx, id);
    if (rules.length > 0) throw new ApiError('IN_USE', { by: rules.join(', ') });
    await deleteChannel(tx, id);
    await auditAlarms(tx, ctx, who, 'alarm_channel_deleted', { entity: 'alarm_channel', id, detail: { name } });
  });

/** Pauses or resumes. To resume a channel that fails retries its messages at once. */
export const pauseChannel = (ctx: Context, who: Who, id: string, isPaused: boolean): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const stored = await takeChannel(tx, who, id);
    if (stored.isPaused === isPaused && (isPaused || stored.failures === 0)) throw new ApiError('NOTHING_TO_DO');
    await setChannelPaused(tx, id, isPaused);
    const action = isPaused ? 'alarm_channel_paused' : 'alarm_channel_resumed';
    await auditAlarms(tx, ctx, who, action, { entity: 'alarm_channel', id, detail: { name: stored.name } });
  });

/** Sends one test message now, also by a channel that is paused. */
export async function testChannel(
  ctx: Context,
  who: Who,
  { id, recipientId, networks }: { id: string; recipientId: string | null; networks: readonly string[] },
) {
  const stored = await findChannel(ctx.db, id);
  if (stored === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(who.user);
  const recipients = recipientId === null ? [] : await findRecipients(ctx.db, [recipientId]);
  if (recipientId !== null && recipients.length === 0) throw new ApiError('UNKNOWN_REFERENCE', {}, 'recipientId');
  const client = new GuardedHttp();
  const locale = recipients[0]?.locale ?? stored.config.locale;
  const outgoing = { content: testContent(stored.name), recipients, locale, messageId: randomUUID(), alarmId: undefined };
  const outcome = await postMessage({ ctx, client, networks }, stored, outgoing).finally(() => client.close());
  const detail = { name: stored.name, recipient: recipients[0]?.name ?? null };
  await ctx.db.transaction().execute((tx) => auditAlarms(tx, ctx, who, 'alarm_channel_tested', { entity: 'alarm_channel', id, detail }));
  return outcome.isSent
    ? { isSent: true, failure: null, detail: outcome.answer }
    : { isSent: false, failure: outcome.failure, detail: outcome.answer };
}
