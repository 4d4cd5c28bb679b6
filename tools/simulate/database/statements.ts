import * as field from './field-statements.ts';
import * as queue from './queue-statements.ts';
import * as reading from './reading-statements.ts';
import { count, rowsOf, text, type Answer, type Run, type Statement } from './statement.ts';

export type { Answer, Statement } from './statement.ts';

type Execute = (run: Run, values: readonly unknown[]) => Answer;

const nothing: Execute = () => count(0);
const none: Execute = () => rowsOf([]);

const GAPS = 'The ledger of gaps is empty in the model.';
const SAYS_NOTHING = 'It changes or waits for something, and its result is empty.';

/**
 * Statements by the beginning of their text or by a unique part, with white space collapsed. The first match counts. Those
 * with a reason are executed by the contract test without comparing their results.
 */
const STATEMENTS: readonly (readonly [pattern: RegExp, execute: Execute, notCompared?: string])[] = [
  // The queue
  [/^with recursive d as \( \(select dcu_id from task_item/, queue.busyDcus],
  [/^select id, false as "isStopped" from task/, queue.heldTasks],
  [/^with due as \( select i.id, i.priority, i.not_before/, queue.claimNext],
  [/^with n as materialized \( select \*, 'reading' as held.* was_started/, queue.partItems],
  [/^with n as materialized \( select \*, 'reading' as held/, queue.finishItems],
  [/^select extract\(epoch from clock_timestamp\(\)\)/, queue.databaseTime, 'the clocks differ'],
  [/^update task_item i set not_before = greatest/, queue.shiftDueTimes],
  [/^with corrected as \( update task_item i set not_before = now\(\) where i\.id = any/, queue.bringForward],
  [/^with early as \( select id, created_at/, queue.correctFutureTasks],
  [/^with ended as \( update task_item i set state = 'read_fail', reason_code = case when is_direct/, queue.failOffline],
  [/^with ended as \( update task_item i set state = 'read_fail', reason_code = \$2/, queue.refuseItems],
  [/^with ended as \( update task_item i set state = 'cancelled'/, queue.endStopped],
  [/^with ended as \( update task_item i set state = case when/, queue.expireItems],
  [/^update task_item set lease_until = now\(\)/, queue.renewLeases],
  [
    /^update task_item i set state = 'waiting', lease_owner = null, lease_until = null, not_before = least\(not_before, now\(\)\) from task_claim .* or i.lease_owner <> \$1/,
    queue.releaseDeadLeases,
  ],
  [
    /^update task_item i set state = 'waiting', lease_owner = null, lease_until = null, not_before = least\(not_before, now\(\)\) from task_claim .* i.id <> all\(\$2\)/,
    queue.releaseOrphans,
  ],
  [/^update task_item i set state = 'waiting', .*else greatest\(attempts - 1, 0\) end from task_claim/, queue.releaseAll],
  [/^update task_item i set state = 'waiting', .*attempts = greatest\(attempts - 1, 0\) where i.id = any/, queue.releaseItems],
  [/^update task_item i set state = 'waiting', .*not_before = least\(not_before, now\(\)\) where i.id = any/, queue.releaseLost],
  [/^select leased.id from task_claim c/, queue.findUnknownLeases],
  [/^delete from task_claim/, queue.deleteEmptyClaims],
  [/^insert into task \(/, queue.createTask],
  [/^insert into task_item \(.* array_agg\(meter_id/, queue.createSharedItems],
  [/^insert into task_item \(/, queue.createItems],
  [/^update task set state = 'paused'/, queue.pauseTask],
  [
    /^update task_item set not_before = \S+ \+ \(greatest|^update task_item set not_before = timestamptz/,
    (run, values) => queue.holdItems(run, [undefined, values.at(-1)]),
  ],
  [/^update task set state = case when started_at is null/, queue.resumeTask],
  [/^update task_item set not_before = now\(\) \+ \(not_before/, queue.freeItems],
  [/^update task set is_stopped = true/, queue.stopTask],
  [/^update task_item i set state = 'cancelled', reason_code = 'CANCELLED', finished_at = now\(\) where id in/, queue.cancelItems],
  [/^with n as \( select coalesce\(sum\(devices\), 0\)::int as total/, queue.recountTask],
  [/^update task_item i set state = 'waiting', reason_code = null, .*phase in \('read_fail', 'expired'\)/, queue.retryItems],
  [/^update task set is_stopped = false, expires_at/, queue.retryOfTask],
  [/^update task_item set state = \$1, reason_code = \$2, reason_text = null/, (run, values) => queue.settleItems(run, settled(values))],
  [/^select i.id, i.task_id as "taskId", i.device_kind/, queue.itemRows],
  [/^select t.id, t.kind, t.source, t.title/, queue.taskRows],
  // The ledger of gaps, which is empty here: no stored reading fills a gap.
  [/^with tried as \( select gap.id/, nothing, GAPS],
  [/^with touched as \( select g.id, g.profile/, nothing, GAPS],
  // Locks and notifications
  [/^set tcp_keepalives_idle/, nothing, SAYS_NOTHING],
  [
    /^select pg_advisory_lock\(\$1, hashtext\(\$2\)\)/,
    ({ client }, [space, name]) => (client.locks.add(`${text(space)}/${text(name)}`), rowsOf([{ pg_advisory_lock: '' }])),
  ],
  [/^select pg_advisory_xact_lock\(\$1\)/, () => rowsOf([{}]), SAYS_NOTHING],
  [/^listen /, ({ client }) => (client.channels.add('hes_task'), count(0)), SAYS_NOTHING],
  [
    /^select pg_notify\(\$1, ''\)/,
    ({ client, database }, [channel]) => (database.notify(text(channel), client), rowsOf([{ pg_notify: '' }])),
  ],
  // Counters and devices
  [/^update counter_mark set through/, field.takeSpan],
  [/^with d as \(select id from dcu where id = any/, field.reserve('dcu')],
  [/^with d as \(select id from meter where id = any/, field.reserve('meter')],
  [/^update dcu set invocation_counter = greatest/, field.believe('dcu')],
  [/^update dcu set proved_counter = greatest/, field.keepProved('dcu')],
  [/^update meter set invocation_counter = greatest/, field.believe('meter')],
  [/^update meter set proved_counter = greatest/, field.keepProved('meter')],
  [/^select m.id, m.sn, m.dcu_id as "dcuId", m.meter_type_id/, field.meterDevices],
  [/^select e.id, e.sn, e.node_id as "nodeId", .* where e.sn = any/, field.dcusBySn],
  [/^select e.id, e.sn, e.node_id as "nodeId", .* where e.id = any/, field.dcusById],
  [/^select e.id, e.sn, e.node_id as "nodeId", .* where e.connection_type = 'dial_out'/, field.dcusToDial],
  [/^select t.id as "typeId", key, place from meter_type/, none],
  [/^with due as \( ?select c\.id from certificate c/, none],
  // Connections
  [/^select n.id, n.name, n.owner, floor/, field.openNodes, 'locks of other connections'],
  [/^with born as \(insert into node \(/, field.insertNode],
  [/^update node set alive_at = greatest\(started_at, now\(\)\) where id/, field.extendNode],
  [/^with dead as \( update node set ended_at/, field.endDeadNode],
  [/^insert into turn as t/, field.takeTurn],
  [/^with ended as \( update node set ended_at/, field.endNode],
  [/^with changed as \( update node set draining_at = now/, field.beginDrain],
  [/^with changed as \( update node set drained_at = now/, field.endDrain],
  // Sessions of earlier versions, which the model has not.
  [/^update dcu_session set closed_at = greatest\(identified_at, coalesce/, nothing],
  [/^update endpoint set online_status = 'unknown' where online_status = 'online' and node_id is null/, nothing],
  [/^select id from meter where dcu_id = \$1/, field.metersOfEndpoint],
  [/^update endpoint set online_status = 'offline'/, field.endUnknown],
  [/^with s as \( insert into dcu_session/, field.openSession],
  [/^with s as \( update dcu_session set closed_at/, field.closeSession],
  [/^insert into dcu_session \(dcu_id, claimed_name, direction, remote, opened_at, closed_at/, field.recordStranger],
  [/^insert into dcu_unregistered/, field.parkCaller],
  // Device state
  [/^with n as \( select id, to_timestamp\(heard_ms/, field.updateMeters],
  [/^update endpoint e set last_comm_at/, field.updateEndpoints],
  [/^insert into meter_memory/, field.keepMemory],
  [/^select id, told::text as text from meter_memory/, field.memories],
  [/^select o.key, o.obis, .* from unnest\(\$1::text\[\]\) with ordinality/, field.readingItems],
  [/^select k.key, u.is_learnt/, none],
  [/^insert into undefined_answer/, field.undefinedAnswers],
  [/^update meter set set_aside_until = \$2/, field.setAside],
  [/^update meter set set_aside_until = null/, field.readAgain],
  [/^select dcu_id::text as "dcuId", level/, none],
  // Readings
  [/^create temp table if not exists stage_profile/, nothing, SAYS_NOTHING],
  [/^select add_month\(\$1::regclass, \$2::date\)/, () => rowsOf([{}]), SAYS_NOTHING],
  [/^select meter_id, profile, day - date '1970-01-01' as day, period_s, lead_s from days_at/, reading.findDays],
  [/^copy reading_profile /, reading.copyReadings],
  [/^copy stage_profile_/, reading.copyStaging],
  [/^update reading_profile t set period_s/, reading.regridDays],
  [/^with old as materialized \( select meter_id, profile, day, status, present/, reading.mergeProfile],
  [/^update reading_correction c set task_id/, reading.nameCorrectors],
  // No program follows the readings of the simulated field.
  [/^select announce\(/, () => rowsOf([{}]), SAYS_NOTHING],
  [/^insert into arrival_day/, reading.countArrivals],
  [/^insert into meter_latest/, reading.mergeLatest],
  [/^select n.k::int as k, at, period_s as period/, reading.newestCaptures],
  // Relays
  [/^select c.id, c.task_id as "taskId", .* where c.task_id = \$1 and c.meter_id = \$2/, field.findCommand],
  [/^select c.id, c.task_id as "taskId", .* from task_item i left join relay_command/, field.waitingSwitches],
  [/^select greatest\(\$2::int, \(select p_avg_plus_w/, field.knownPower],
  [/^select "l"."id", "l"."max_meters_per_hour"/, none],
  [/^select from endpoint where id = \$1 and last_session_id = \$2 for share/, field.holdsConnection],
  [/^select exists \(select from relay_stop/, field.sentLately],
  [/^select count\(\*\)::int as total, count\(\*\) filter \(where s.command_id/, field.batchState],
  [/^insert into "relay_sent"/, field.markSent],
  [/^update "relay_command" set "state"/, field.commandSent],
  [/^update relay_command set state = \$2/, field.endCommand],
  [/^update relay_command set ended_at = now\(\), state = case/, field.settleCommands],
  [/^update meter set relay_state = \$2/, field.storeRelay],
  [/^insert into relay_command /, field.orderRelay],
  [/^select "hash" from "command_log"/, field.lastHash],
  [/^insert into "command_log"/, field.logCommand],
];

/** State, reason, result, task, meter and the reason of an unknown outcome, in the order of `settleItems`. */
const settled = (values: readonly unknown[]): unknown[] => [values[0], values[1], values[2], values[3], values[4], values[5]];

const ASYNC_COMMIT = "set_config('synchronous_commit', 'off', true)";
const known = new Map<string, Statement | undefined>();

const entryOf = (sql: string): (typeof STATEMENTS)[number] | undefined => {
  const plain = sql.trim().replaceAll(/\s+/g, ' ');
  return STATEMENTS.find(([pattern]) => pattern.test(plain));
};

/** Patterns of all statements whose results the contract test compares. */
export const COMPARED = STATEMENTS.filter(([, , notCompared]) => notCompared === undefined).map(([pattern]) => pattern.source);
export const NOT_COMPARED: Record<string, string> = Object.fromEntries(
  STATEMENTS.flatMap(([pattern, , notCompared]) => (notCompared === undefined ? [] : [[pattern.source, notCompared]])),
);

/** The pattern of a statement, and the reason why its result is not compared. */
export function comparisonOf(sql: string): { pattern: string | undefined; notCompared: string | undefined } {
  const found = entryOf(sql);
  return { pattern: found?.[0].source, notCompared: found?.[2] };
}

/** The model of a statement; undefined if unknown. */
export function statementOf(sql: string): Statement | undefined {
  if (known.has(sql)) return known.get(sql);
  const found = entryOf(sql);
  const statement = found && { execute: found[1], isAsyncCommit: sql.includes(ASYNC_COMMIT) };
  known.set(sql, statement);
  return statement;
}
