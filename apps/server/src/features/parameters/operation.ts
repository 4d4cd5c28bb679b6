import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { DCU_PARAMETERS, parameterOf, TRIAL_S, type DcuParameter } from '@hes/contract/action/dcu-parameter.ts';
import type { ItemResult, TaskStep } from '@hes/contract/orders/results.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { findWritten, judgeRings, storeActual, storeParameterState } from './store.ts';
import { readParameter, readTrial, setTrial, writeParameter } from './wire.ts';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

const RING_WAIT_MS = 3000;
/** Time for a DCU to close its connection after new link parameters. */
const LINK_WAIT_MS = 3000;

type Found = Map<string, Outcome<string>>;

const stepOf = (key: string, outcome: Outcome<unknown>, detail: string | null): TaskStep => ({
  key,
  ok: outcome.ok,
  ms: 0,
  detail: outcome.ok ? detail : (outcome.detail ?? null),
  reasonCode: outcome.ok ? null : outcome.reason,
});

async function readAll(tools: OperationTools, { link, dcuId }: DeviceWork, wanted: readonly DcuParameter[]): Promise<Outcome<Found>> {
  const found: Found = new Map();
  for (const parameter of wanted) {
    const read = await readParameter(link, parameter);
    if (!read.ok && !link.isUsable) return read;
    found.set(parameter.key, read);
  }
  await storeActual(tools.ctx.pool, dcuId, new Map([...found].flatMap(([key, read]) => (read.ok ? [[key, read.value] as const] : []))));
  for (const [key, read] of found)
    if (!read.ok) await storeParameterState(tools.ctx.pool, dcuId, { key, state: 'failed', reasonCode: read.reason });
  return ok(found);
}

async function readParameters(tools: OperationTools, item: WorkItem<'dcu_config_read'>, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const { keys } = item.params;
  const found = await readAll(tools, work, keys.length === 0 ? DCU_PARAMETERS : DCU_PARAMETERS.filter(({ key }) => keys.includes(key)));
  if (!found.ok) return found;
  return ok({ steps: [...found.value].map(([key, read]) => stepOf(key, read, read.ok ? read.value : null)) });
}

type Writing = WorkItem<'dcu_config_write'>;

const valuesOf = ({ params }: Writing): [DcuParameter, string][] =>
  Object.entries(params.values).flatMap(([key, value]): [DcuParameter, string][] => {
    const parameter = parameterOf(key);
    return parameter === undefined ? [] : [[parameter, value]];
  });

/** Result of the rings before the DCU's own. A bad set must fail in the first ring, before it reaches a thousand DCUs. */
async function ringVerdict(tools: OperationTools, item: Writing): Promise<'well' | 'failed' | 'working'> {
  const { rings, canaryS } = item.params;
  const own = rings.findIndex((ring) => ring.includes(item.dcuId));
  const before = { taskId: item.taskId, dcuIds: rings.slice(0, own).flat(), canaryS };
  return own <= 0 ? 'well' : judgeRings(tools.ctx.pool, before);
}

/**
 * Writes a set of values to a DCU and confirms it by read-back. Link parameters come last and, where the DCU supports it, on trial:
 * the set is kept only after the DCU has reconnected over the new link, otherwise the DCU restores the old one.
 */
async function writeParameters(tools: OperationTools, item: Writing): Promise<WorkReport> {
  const verdict = await ringVerdict(tools, item);
  if (verdict === 'failed') return { outcome: failed('CANCELLED', 'A DCU of an earlier ring failed'), traceId: undefined };
  if (verdict === 'working') return { outcome: ok({}), traceId: undefined, againInMs: RING_WAIT_MS };
  let isOnTrial = false;
  const report = await withDevice(tools, item, async (work) => {
    const outcome = await writeValues(tools, item, work);
    if (outcome !== 'on_trial') return outcome;
    isOnTrial = true;
    return ok({});
  });
  return isOnTrial ? { ...report, againInMs: LINK_WAIT_MS } : report;
}

async function writeValues(tools: OperationTools, item: Writing, work: DeviceWork): Promise<Outcome<ItemResult> | 'on_trial'> {
  const { pool } = tools.ctx;
  const { link, dcuId } = work;
  const wanted = valuesOf(item);
  const written = await findWritten(pool, dcuId);
  const before = await readAll(
    tools,
    work,
    wanted.map(([parameter]) => parameter),
  );
  if (!before.ok) return before;
  const isSo = ([parameter, value]: [DcuParameter, string]): boolean => {
    const read = before.value.get(parameter.key);
    return read?.ok === true && read.value === value;
  };
  const trial = await readTrial(link);
  const open = wanted.filter((one) => !isSo(one));
  if (open.length === 0) {
    if (trial !== undefined && trial > 0) {
      const confirmed = await setTrial(link, 0);
      if (!confirmed.ok) return confirmed;
    }
    return ok({ steps: wanted.map(([{ key }, value]) => stepOf(key, ok(value), value)) });
  }
  const reverted = open.filter(([{ key, risk }]) => risk === 'link' && written.has(key));
  if (reverted.length > 0) {
    for (const [{ key }] of reverted) await storeParameterState(pool, dcuId, { key, state: 'failed', reasonCode: 'READ_BACK_DIFFERS' });
    return failed('READ_BACK_DIFFERS', `The DCU took back ${reverted.map(([{ key }]) => key).join(', ')}`);
  }
  return write(tools, item, work, { open, trial });
}

async function write(
  tools: OperationTools,
  item: Writing,
  work: DeviceWork,
  { open, trial }: { open: [DcuParameter, string][]; trial: number | undefined },
): Promise<Outcome<ItemResult> | 'on_trial'> {
  const { pool } = tools.ctx;
  const { link, dcuId } = work;
  const plain = open.filter(([{ risk }]) => risk !== 'link');
  const links = open.filter(([{ risk }]) => risk === 'link');
  const steps: TaskStep[] = [];
  const put = async ([parameter, value]: [DcuParameter, string]): Promise<Outcome<void>> => {
    const set = await writeParameter(link, parameter, value);
    const reasonCode = set.ok ? undefined : set.reason;
    await storeParameterState(pool, dcuId, { key: parameter.key, state: set.ok ? 'written' : 'failed', reasonCode });
    steps.push(stepOf(parameter.key, set, value));
    return set;
  };
  for (const one of plain) {
    const set = await put(one);
    if (!set.ok && !link.isUsable) return set;
  }
  const proved = plain.length === 0 ? ok(new Map()) : await confirmValues(tools, work, plain, steps);
  if (!proved.ok) return proved;
  if (links.length === 0) return ok({ steps });
  if (trial !== undefined) {
    const begun = await setTrial(link, item.params.trialS ?? TRIAL_S);
    if (!begun.ok) return begun;
  }
  for (const one of links) {
    const set = await put(one);
    if (!set.ok) return set;
  }
  return 'on_trial';
}

/** Reads back the written values. The first difference fails the item; each row stores its own result. */
async function confirmValues(
  tools: OperationTools,
  work: DeviceWork,
  plain: [DcuParameter, string][],
  steps: TaskStep[],
): Promise<Outcome<unknown>> {
  const after = await readAll(
    tools,
    work,
    plain.map(([parameter]) => parameter),
  );
  if (!after.ok) return after;
  const refused = steps.find((step) => !step.ok);
  for (const step of steps.filter((one) => !one.ok))
    await storeParameterState(tools.ctx.pool, work.dcuId, { key: step.key, state: 'failed', reasonCode: step.reasonCode ?? undefined });
  if (refused !== undefined) return failed('ACCESS_DENIED', `${refused.key}: ${refused.detail ?? ''}`);
  const wrong = plain.filter(([{ key }, value]) => {
    const read = after.value.get(key);
    return read?.ok !== true || read.value !== value;
  });
  return wrong.length === 0 ? ok(undefined) : failed('READ_BACK_DIFFERS', wrong.map(([{ key }]) => key).join(', '));
}

async function resetToFactory(tools: OperationTools, item: WorkItem<'dcu_factory'>): Promise<WorkReport> {
  return withDevice(tools, item, async (work) => {
    const { factory_reset: reset } = await partsOfDcu(tools, work);
    if (reset === undefined) return lacks('factory_reset');
    const done = await reset();
    return done.ok ? ok({ steps: [stepOf('factory', done, null)] }) : done;
  });
}

/** Operations on the parameters of DCUs. */
export const dcuParameterOperations = (
  tools: OperationTools,
): Pick<Operations, 'dcu_config_read' | 'dcu_config_write' | 'dcu_factory'> => ({
  dcu_config_read: (item) => withDevice(tools, item, (work) => readParameters(tools, item, work)),
  dcu_config_write: (item) => writeParameters(tools, item),
  dcu_factory: (item) => resetToFactory(tools, item),
});
