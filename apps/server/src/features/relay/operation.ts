import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { modeAllows, STILL_FLOWS_W, type RelayOperation } from '@hes/contract/action/relay-rules.ts';
import type { ItemResult, RelayResult } from '@hes/contract/orders/results.ts';
import { writeCommands } from '#db/command-log.ts';
import { publishItems } from '#tasks/progress-publisher.ts';
import type { Operation, Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import { withMeter, type MeterWork } from '#field/operations/with-meter.ts';
import {
  endCommand,
  findCommand,
  knownPowerW,
  reserveSwitch,
  settleUnknown,
  storeRelay,
  type RelayCommand,
  type Reservation,
} from './store.ts';
import { refuseCommand, entryOf, refusalOf } from './refusal.ts';
import { readPowerW, readRelay, sendToRelay, type FoundRelay } from './read-relay.ts';

const WANTED: Record<RelayOperation, RelayResult['state']> = { disconnect: 'disconnected', connect: 'connected', arm: 'ready' };
const BLOCKED: Record<Exclude<Reservation, 'reserved' | 'sent_before' | 'moved'>, ReasonCode> = {
  stopped: 'RELAY_STOPPED',
  ceiling: 'RELAY_CEILING',
  day_ceiling: 'RELAY_DAY_CEILING',
  hours: 'RELAY_HOURS',
  halted: 'RELAY_HALTED',
};

const BLOCKS: ReadonlySet<ReasonCode> = new Set(Object.values(BLOCKED));

/** Relay operations check the limits at execution, so that no queued item can bypass them. */
type SwitchKind = `relay_${RelayOperation}`;

export function relayOperations(tools: FeatureTools): Pick<Operations, 'relay_read' | SwitchKind> {
  // The command's own state changes write its entries of the command log.
  const switching: Operation<SwitchKind> = async (item) => ({ ...(await switchSupply(tools, item)), logged: null });
  return {
    relay_read: (item) => withMeter(tools, item, (work) => readOnly(tools, work)),
    relay_disconnect: switching,
    relay_connect: switching,
    relay_arm: switching,
  };
}

async function readOnly(tools: FeatureTools, work: MeterWork): Promise<Outcome<ItemResult>> {
  const found = await readRelay(work.link);
  if (!found.ok) return found;
  const power = await readPowerW(tools, work);
  if (!power.ok) return power;
  const relay = { ...found.value, powerBeforeW: null, powerAfterW: power.value, wasSent: false };
  await storeRelay(tools.ctx.pool, work.device.id, found.value);
  const settled = await settleUnknown(tools.ctx.db, work.device.id, relay);
  if (settled.length > 0)
    await publishItems(
      tools.ctx,
      settled.map(({ id }) => id),
      settled.map(({ taskId }) => taskId),
    );
  return ok({ relay });
}

/**
 * Executes a command at most once. It is marked as sent before transmission, and a marked command is never sent again: the relay is
 * read to find the result.
 */
async function switchSupply(tools: FeatureTools, item: WorkItem): Promise<WorkReport> {
  const command = item.meterId === null ? undefined : await findCommand(tools.ctx.pool, item.taskId, item.meterId);
  const refusal = refusalOf(tools.ctx, command, item.kind);
  if (command === undefined || refusal !== undefined) {
    const reason = refusal ?? 'RELAY_NOT_ORDERED';
    await refuseCommand(tools, item, command, reason);
    return { outcome: failed(reason), traceId: undefined };
  }
  try {
    const report = await withMeter(tools, item, (work) =>
      command.isSent ? confirmLater(tools, work, command) : executeCommand(tools, work, command),
    );
    await storeResult(tools, item, command, report);
    return isLost(report.outcome, command) ? { ...report, outcome: failed('RELAY_UNKNOWN', report.outcome.reason) } : report;
  } catch (error) {
    // A command that was sent may have been executed, whatever failed after it.
    if (!command.isSent) throw error;
    tools.ctx.log.error('The result of a relay command was lost', { error, taskId: item.taskId, itemId: item.id });
    return { outcome: failed('RELAY_UNKNOWN'), traceId: undefined };
  }
}

async function executeCommand(tools: FeatureTools, work: MeterWork, command: RelayCommand): Promise<Outcome<ItemResult>> {
  const { pool } = tools.ctx;
  const before = await readRelay(work.link);
  if (!before.ok) return before;
  await storeRelay(pool, command.meterId, before.value);
  if (!modeAllows(before.value.mode, command.operation)) return failed('RELAY_MODE', `mode ${before.value.mode}`);
  const power = await readPowerW(tools, work);
  if (!power.ok) return power;
  if (before.value.state === WANTED[command.operation])
    return ok({ relay: { ...before.value, powerBeforeW: power.value, powerAfterW: power.value, wasSent: false } });
  const powerW = await knownPowerW(pool, command.meterId, power.value);
  const hour = tools.zone.hourOf(tools.ctx.clock.now());
  const { dcuId, epoch } = work;
  const reserved = await reserveSwitch(tools.ctx, command, { powerW, hour, switches: tools.switches, holder: { dcuId, epoch } });
  if (reserved === 'moved') return failed('LINK_LOST', 'Another node of the head-end holds the connection');
  if (reserved === 'sent_before') return confirmSwitch(tools, work, command);
  if (reserved !== 'reserved') return failed(BLOCKED[reserved]);
  command.isSent = true;
  const sent = await sendToRelay(work.link, command.operation);
  // A refusal is definite. A timeout is not: the meter may have executed the command.
  if (!sent.ok) return work.link.isUsable ? sent : failed('RELAY_UNKNOWN', sent.reason);
  const proved = await confirmSwitch(tools, work, command);
  return proved.ok && proved.value.relay ? ok({ relay: { ...proved.value.relay, powerBeforeW: power.value } }) : proved;
}

/** The result of a command whose answer was lost. After a later command, the relay shows the result of that one. */
const confirmLater = async (tools: FeatureTools, work: MeterWork, command: RelayCommand): Promise<Outcome<ItemResult>> =>
  command.isSuperseded ? failed('RELAY_UNKNOWN', 'another command followed') : confirmSwitch(tools, work, command);

/** Reads contact and power of a switched relay and derives the result from them. */
async function confirmSwitch(tools: FeatureTools, work: MeterWork, command: RelayCommand): Promise<Outcome<ItemResult>> {
  const after = await readRelay(work.link);
  if (!after.ok) return failed('RELAY_UNKNOWN', after.reason);
  const power = await readPowerW(tools, work);
  // A welded contact may report open while power still flows.
  const stillFlows = command.operation === 'disconnect' && power.ok && power.value !== null && power.value > STILL_FLOWS_W;
  const isSwitched = isAs(after.value, command.operation) && !stillFlows;
  await storeRelay(tools.ctx.pool, command.meterId, after.value, isSwitched ? command.requestedBy : undefined);
  if (!isSwitched) return failed('RELAY_NOT_SWITCHED', stillFlows ? `${after.value.state}, ${power.value} W` : after.value.state);
  const powerAfterW = power.ok ? power.value : null;
  return ok({ relay: { ...after.value, powerBeforeW: command.powerBeforeW, powerAfterW, wasSent: true } });
}

/** Both control state and output state must match: the control state alone is only the meter's assumption. */
const isAs = ({ output, state }: FoundRelay, operation: RelayOperation): boolean =>
  state === WANTED[operation] && output === (operation === 'connect');

/** Whether a sent command has an unknown result, regardless of the failure of this attempt. */
const isLost = (outcome: Outcome<ItemResult>, command: RelayCommand): outcome is ReturnType<typeof failed> =>
  !outcome.ok && outcome.reason !== 'RELAY_UNKNOWN' && stateOf(outcome, command) === 'unknown';

/** Stores the result in the command and in the append-only log, and raises an alarm when a limit applied. */
async function storeResult(tools: FeatureTools, item: WorkItem, command: RelayCommand, report: WorkReport): Promise<void> {
  const { outcome, traceId = null } = report;
  const { pool, db, clock } = tools.ctx;
  if (!outcome.ok && BLOCKS.has(outcome.reason)) {
    await endCommand(pool, command.id, { state: 'failed', reasonCode: outcome.reason, traceId, result: null });
    return refuseCommand(tools, item, command, outcome.reason);
  }
  const result = outcome.ok ? (outcome.value.relay ?? null) : null;
  const reasonCode = outcome.ok ? null : outcome.reason;
  await endCommand(pool, command.id, { state: stateOf(outcome, command), reasonCode, traceId, result });
  const entry = entryOf(item, command, reasonCode ?? 'ok', traceId, { ...result });
  await db.transaction().execute((tx) => writeCommands(tx, [entry], clock.now()));
}

function stateOf(outcome: Outcome<ItemResult>, command: RelayCommand): 'done' | 'unknown' | 'failed' | 'refused' | 'waiting' {
  if (outcome.ok) return 'done';
  if (outcome.reason === 'RELAY_NOT_SWITCHED') return 'failed';
  if (!command.isSent) return 'waiting';
  // After transmission only a refusal is definite; otherwise the relay must be read.
  return outcome.reason === 'ACCESS_DENIED' || outcome.reason === 'OBJECT_UNDEFINED' || outcome.reason === 'TYPE_MISMATCH'
    ? 'refused'
    : 'unknown';
}
