import { kindsWhere } from '@hes/contract/orders/every-order.ts';
import { byId, count, dateOf, jsonOf, list, number, rowsOf, stampOf, text, type Answer, type Run } from './statement.ts';
import type { Row, Store } from './store.ts';

const SECOND_MS = 1000;
const LEASE_MS = 60_000;
const RENEW_BELOW_MS = 40_000;
const DAY_MS = 86_400_000;
const LAST_OPERATOR_PRIORITY = 4;
const PAUSED_FROM = Date.parse('3000-01-01T00:00:00Z');
const READ_BACK_KINDS: readonly string[] = kindsWhere(({ needsReadBack }) => needsReadBack);
const UNKNOWN_OUTCOME = 'RELAY_UNKNOWN';

const isOpen = (row: Row): boolean => row['state'] === 'waiting' || row['state'] === 'reading';
const isPossiblyExecuted = (row: Row): boolean => number(row['attempts']) > 0 && READ_BACK_KINDS.includes(text(row['kind']));
const isSentSwitch = (store: Store, item: Row): boolean =>
  isPossiblyExecuted(item) &&
  store
    .rows('relay_command')
    .some(
      (c) => c['task_id'] === item['task_id'] && c['meter_id'] === item['meter_id'] && store.get('relay_sent', text(c['id'])) !== undefined,
    );
const taskOf = (store: Store, item: Row): Row => store.get('task', text(item['task_id'])) ?? {};
const byTurn = (a: Row, b: Row): number =>
  number(a['priority']) - number(b['priority']) || number(a['not_before']) - number(b['not_before']) || byId(a, b);

/** Meters of a shared item; null: an item of one device. */
const membersOf = (item: Row): string[] | null => (item['meter_ids'] ?? null) as string[] | null; // as: written by createSharedItems and partItems
const devicesOf = (item: Row): number => membersOf(item)?.length ?? 1;
const devicesIn =
  (items: readonly Row[]) =>
  (of: (state: unknown) => boolean): number =>
    items.reduce((sum, item) => sum + (of(item['state']) ? devicesOf(item) : 0), 0);

export function busyDcus({ store }: Run, [others]: readonly unknown[]): Answer {
  const otherNodes = new Set(others as readonly string[]); // as: ids of nodes
  const byDcu = Map.groupBy(store.rows('task_item').filter(isOpen), (item) => text(item['dcu_id']));
  const rows: Row[] = [];
  for (const [dcuId, items] of [...byDcu].toSorted(([a], [b]) => Number(a) - Number(b))) {
    const waiting = items.filter((item) => item['state'] === 'waiting').toSorted(byTurn);
    const last = waiting.at(-1)?.['priority'];
    if (last === undefined) continue;
    const urgent = waiting.find((item) => number(item['priority']) <= LAST_OPERATOR_PRIORITY);
    const nodeId = store.get('dcu', dcuId)?.['node_id'] ?? null;
    if (nodeId !== null && otherNodes.has(text(nodeId))) continue;
    rows.push({ dcuId, first: urgent?.['priority'] ?? last, last, nodeId });
  }
  return rowsOf(rows);
}

export const heldTasks = ({ store }: Run): Answer => {
  const tasks = store.rows('task');
  return rowsOf([
    ...tasks.filter((task) => task['state'] === 'paused').map(({ id }) => ({ id, isStopped: false })),
    ...tasks.filter((task) => task['is_stopped'] === true && task['finished_at'] === null).map(({ id }) => ({ id, isStopped: true })),
  ]);
};

export function claimNext({ store, now }: Run, [dcuId, from, to, most, owner, epoch]: readonly unknown[]): Answer {
  if (store.get('dcu', text(dcuId))?.['last_session_id'] !== text(epoch)) return rowsOf([]);
  const isSuspended = (item: Row): boolean => {
    const task = taskOf(store, item);
    return task['state'] === 'paused' || (task['is_stopped'] === true && task['finished_at'] === null && !isPossiblyExecuted(item));
  };
  const due = store
    .rows('task_item')
    .filter((item) => item['dcu_id'] === text(dcuId) && item['state'] === 'waiting')
    .filter((item) => number(item['priority']) >= number(from) && number(item['priority']) <= number(to))
    .filter((item) => number(item['not_before']) <= now && !isSuspended(item))
    .toSorted(byTurn);
  let devices = 0;
  const next = due.filter((item) => {
    const isTaken = devices < number(most);
    devices += devicesOf(item);
    return isTaken;
  });
  const claimed = next.map((item) =>
    store.update('task_item', text(item['id']), {
      state: 'reading',
      lease_owner: owner,
      lease_until: now + LEASE_MS,
      attempts: number(item['attempts']) + 1,
      started_at: item['started_at'] ?? now,
    }),
  );
  if (claimed.length > 0) store.insert('task_claim', { items: claimed.map(({ id }) => id) });
  for (const item of claimed) {
    const task = taskOf(store, item);
    if (task['state'] === 'waiting') store.update('task', text(task['id']), { state: 'running', started_at: task['started_at'] ?? now });
  }
  return rowsOf(
    claimed.map((item) => {
      const task = taskOf(store, item);
      return {
        id: item['id'],
        taskId: item['task_id'],
        kind: item['kind'],
        source: task['source'],
        priority: item['priority'],
        deviceKind: item['device_kind'],
        dcuId: item['dcu_id'],
        meterId: item['meter_id'],
        meterIds: item['meter_ids'],
        attempts: item['attempts'],
        params: structuredClone(task['params']),
        traceparent: task['traceparent'],
      };
    }),
  );
}

/** Counts the devices of ended items in their tasks. */
function countEnds({ store, now }: Run, ended: readonly Row[]): Answer {
  for (const [taskId, items] of Map.groupBy(ended, (item) => text(item['task_id']))) {
    const task = store.get('task', taskId) ?? {};
    const sum = devicesIn(items);
    const done = number(task['done']) + sum((state) => state !== 'waiting' && state !== 'reading');
    const ok = number(task['ok']) + sum((state) => state === 'read_success');
    const failed = number(task['failed']) + sum((state) => state === 'read_fail' || state === 'expired');
    const isOver = done >= number(task['total']);
    store.update('task', taskId, {
      done,
      ok,
      failed,
      state: isOver ? endState(task, ok) : task['state'],
      finished_at: isOver ? now : null,
    });
  }
  return rowsOf(ended.map((item) => ({ id: item['id'], taskId: item['task_id'] })));
}

const endState = (task: Row, ok: number): string =>
  ok === number(task['total']) ? 'finished' : task['is_stopped'] === true ? 'cancelled' : ok === 0 ? 'failed' : 'partly_failed';

export function finishItems(run: Run, values: readonly unknown[]): Answer {
  const { store, now } = run;
  const [owner, ...columns] = values;
  const [ids, states, codes, texts, latencies, results, traces, agains, attempts] = columns.map(list);
  const ended: Row[] = [];
  for (const [k, id] of (ids ?? []).entries()) {
    const item = store.get('task_item', id ?? '');
    const isOurs = item?.['state'] === 'reading' && item['lease_owner'] === owner && number(item['attempts']) === Number(attempts?.[k]);
    if (item === undefined || !isOurs) continue;
    const isWaiting = states?.[k] === 'waiting';
    ended.push(
      store.update('task_item', text(id), {
        state: states?.[k],
        reason_code: codes?.[k] ?? null,
        reason_text: texts?.[k] ?? null,
        latency_ms: Number(latencies?.[k]),
        result: jsonOf(results?.[k] ?? null),
        trace_id: traces?.[k] ?? item['trace_id'] ?? null,
        lease_owner: null,
        lease_until: null,
        not_before: isWaiting ? now + Number(agains?.[k]) : item['not_before'],
        finished_at: isWaiting ? null : now,
      }),
    );
  }
  return countEnds(run, ended);
}

/** Columns of one part, by position. */
function partOf(columns: readonly unknown[], k: number) {
  const [ids, attempts, states, codes, agains, started, stays, meters, details] = columns.map((column) =>
    Array.isArray(column) ? column : list(column),
  );
  return {
    id: text(ids?.[k]),
    attempts: Number(attempts?.[k]),
    state: text(states?.[k]),
    code: codes?.[k] ?? null,
    againInMs: Number(agains?.[k]),
    wasStarted: started?.[k] === true,
    stays: stays?.[k] === true,
    meters: list(meters?.[k]),
    details: jsonOf(details?.[k] ?? null),
  };
}

export function partItems(run: Run, [owner, ...columns]: readonly unknown[]): Answer {
  const { store, now } = run;
  const parts = list(columns[0]).map((_id, k) => partOf(columns, k));
  const isOurs = ({ id, attempts }: (typeof parts)[number]): boolean => {
    const item = store.get('task_item', id);
    const members = parts.filter((part) => part.id === id && part.attempts === attempts).reduce((sum, part) => sum + part.meters.length, 0);
    const isHeld = item?.['state'] === 'reading' && item['lease_owner'] === owner && number(item['attempts']) === attempts;
    return isHeld && devicesOf(item) === members;
  };
  const ours = parts.filter(isOurs).map((part) => ({ ...part, claimed: store.get('task_item', part.id) ?? {} }));
  // Rows of the claimed items are changed first, as the statement returns them.
  const ended = [...ours.filter(({ stays }) => stays), ...ours.filter(({ stays }) => !stays)].map((part) => {
    const { claimed, state, wasStarted } = part;
    const isReading = state === 'reading';
    const values = {
      state,
      meter_ids: part.meters,
      details: part.details,
      reason_code: isReading || !wasStarted ? claimed['reason_code'] : part.code,
      attempts: Math.max(0, number(claimed['attempts']) - (wasStarted ? 0 : 1)),
      not_before:
        state !== 'waiting' ? claimed['not_before'] : wasStarted ? now + part.againInMs : Math.min(number(claimed['not_before']), now),
      finished_at: state === 'waiting' || isReading ? null : now,
      lease_owner: isReading ? claimed['lease_owner'] : null,
      lease_until: isReading ? claimed['lease_until'] : null,
    };
    if (part.stays) return store.update('task_item', part.id, values);
    const { task_id, kind, priority, device_kind, dcu_id, started_at } = claimed;
    return store.insert('task_item', { ...NEW_ITEM, task_id, kind, priority, device_kind, dcu_id, started_at, ...values });
  });
  const { rowCount } = countEnds(run, ended);
  return {
    rows: ended.map((item) => ({
      id: item['id'],
      taskId: item['task_id'],
      againInMs: item['state'] === 'waiting' ? Math.max(0, Math.round(number(item['not_before']) - now)) : null,
      hasReason: item['reason_code'] !== null && item['state'] !== 'reading',
    })),
    rowCount,
  };
}

const isOpenWaiting = (item: Row): boolean => item['state'] === 'waiting';

/** Ends waiting items with a reason. */
function endWaiting(run: Run, isMeant: (item: Row, task: Row) => boolean, end: (item: Row) => Row): Answer {
  const { store, now } = run;
  const meant = store.rows('task_item').filter((item) => isOpenWaiting(item) && isMeant(item, taskOf(store, item)));
  return countEnds(
    run,
    meant.map((item) => store.update('task_item', text(item['id']), { ...end(item), finished_at: now })),
  );
}

export const failOffline = (run: Run, [dcuId, grace]: readonly unknown[]): Answer =>
  endWaiting(
    run,
    (item, task) =>
      task['waits_for_device'] === false &&
      item['dcu_id'] === text(dcuId) &&
      number(item['not_before']) <= run.now &&
      (number(task['created_at']) <= run.now - number(grace) * SECOND_MS || number(task['created_at']) > run.now) &&
      run.store.get('dcu', text(item['dcu_id']))?.['online_status'] !== 'unknown' &&
      (run.store.get('dcu', text(item['dcu_id']))?.['node_id'] ?? null) === null &&
      !isPossiblyExecuted(item),
    () => ({ state: 'read_fail', reason_code: 'DCU_OFFLINE' }),
  );

export const databaseTime = ({ now }: Run): Answer => ({ rows: [{ ms: String(now) }], rowCount: 1 });

const isDueLater = (item: Row, now: number): boolean =>
  item['state'] === 'waiting' && number(item['not_before']) > now && number(item['not_before']) < PAUSED_FROM;

const createdAt = ({ store }: Run, item: Row): number => number(store.get('task', text(item['task_id']))?.['created_at']);

export function shiftDueTimes(run: Run, [seconds]: readonly unknown[]): Answer {
  const { store, now } = run;
  const items = store
    .rows('task_item')
    .filter((item) => isDueLater(item, now) && number(item['attempts']) > 0 && createdAt(run, item) <= now);
  for (const item of items)
    store.update('task_item', text(item['id']), { not_before: Math.max(now, number(item['not_before']) - number(seconds) * SECOND_MS) });
  return count(items.length);
}

export function bringForward({ store, now }: Run, [ids]: readonly unknown[]): Answer {
  const items = store
    .rows('task_item')
    .filter((item) => list(ids).includes(text(item['id'])) && isDueLater(item, now) && number(item['not_before']) < now + DAY_MS);
  const corrected = items.map(({ id }) => text(id));
  const unclaimed = store
    .rows('task_item')
    .filter((item) => list(ids).includes(text(item['id'])) && item['state'] === 'waiting' && number(item['not_before']) <= now);
  for (const id of corrected) store.update('task_item', id, { not_before: now });
  return rowsOf([
    ...corrected.map((id) => ({ id, isCorrected: true })),
    ...unclaimed.map(({ id }) => ({ id: text(id), isCorrected: false })),
  ]);
}

/** As `MIN_STEP_MS`. */
const MIN_STEP_MS = 10_000;

export function correctFutureTasks(run: Run): Answer {
  const { store, now } = run;
  const early = store.rows('task').filter((task) => number(task['created_at']) > now + MIN_STEP_MS && task['finished_at'] === null);
  const ids = new Set(early.map(({ id }) => id));
  const items = store.rows('task_item').filter((item) => ids.has(item['task_id']) && isDueLater(item, now));
  for (const item of items)
    store.update('task_item', text(item['id']), { not_before: Math.max(now, number(item['not_before']) - (createdAt(run, item) - now)) });
  for (const task of early) store.update('task', text(task['id']), { created_at: now });
  return { rows: [{ items: items.length }], rowCount: 1 };
}

export const refuseItems = (run: Run, [ids, reason]: readonly unknown[]): Answer =>
  endWaiting(
    run,
    (item) => list(ids).includes(text(item['id'])),
    () => ({ state: 'read_fail', reason_code: reason }),
  );

export const endStopped = (run: Run): Answer =>
  endWaiting(
    run,
    (item, task) => task['is_stopped'] === true && task['finished_at'] === null && !isPossiblyExecuted(item),
    () => ({ state: 'cancelled', reason_code: 'CANCELLED' }),
  );

export const expireItems = (run: Run): Answer =>
  endWaiting(
    run,
    (_item, task) => task['finished_at'] === null && number(task['expires_at']) < run.now,
    (item) => {
      const isSent = isSentSwitch(run.store, item);
      const status = run.store.get('dcu', text(item['dcu_id']))?.['online_status'];
      const reason = status === 'online' || status === 'unknown' ? 'EXPIRED' : 'DCU_OFFLINE';
      return { state: isSent ? 'read_fail' : 'expired', reason_code: isSent ? UNKNOWN_OUTCOME : reason };
    },
  );

export function renewLeases({ store, now }: Run, [owner, ids]: readonly unknown[]): Answer {
  const wanted = new Set(list(ids));
  const items = store
    .rows('task_item')
    .filter((item) => wanted.has(text(item['id'])) && item['state'] === 'reading' && item['lease_owner'] === owner)
    .filter((item) => number(item['lease_until']) < now + RENEW_BELOW_MS);
  for (const item of items) store.update('task_item', text(item['id']), { lease_until: now + LEASE_MS });
  return count(items.length);
}

/** Items in progress, by the claims they belong to. */
const leased = (store: Store): Row[] =>
  store
    .found('task_item', [...new Set(store.rows('task_claim').flatMap((claim) => claim['items'] as string[]))]) // as: written by claimNext
    .filter((item) => item['state'] === 'reading');

function release({ store, now }: Run, items: readonly Row[], attempts: 'kept' | 'given back' = 'kept'): Answer {
  for (const item of items)
    store.update('task_item', text(item['id']), {
      state: 'waiting',
      lease_owner: null,
      lease_until: null,
      not_before: Math.min(number(item['not_before']), now),
      ...(attempts === 'kept' ? {} : { attempts: Math.max(0, number(item['attempts']) - 1) }),
    });
  return count(items.length);
}

export function releaseDeadLeases(run: Run, [owner, classId, held]: readonly unknown[]): Answer {
  const { store, now, database } = run;
  const alive = new Set([...database.clients].flatMap(({ locks }) => [...locks]));
  const kept = new Set(list(held));
  const isDead = (other: unknown): boolean => {
    const nodes = store.rows('node').filter((node) => node['owner'] === other);
    return nodes.every((node) => node['ended_at'] !== null) && (nodes.length > 0 || !alive.has(`${text(classId)}/${text(other)}`));
  };
  return release(
    run,
    leased(store).filter((item) =>
      item['lease_owner'] === owner ? number(item['lease_until']) < now && !kept.has(text(item['id'])) : isDead(item['lease_owner']),
    ),
  );
}

export function releaseOrphans(run: Run, [owner, held]: readonly unknown[]): Answer {
  const { store } = run;
  const kept = new Set(list(held));
  return release(
    run,
    leased(store).filter((item) => item['lease_owner'] === owner && !kept.has(text(item['id']))),
  );
}

export function findUnknownLeases({ store }: Run, [owner, held]: readonly unknown[]): Answer {
  const kept = new Set(list(held));
  return rowsOf(
    leased(store).flatMap((item) => (item['lease_owner'] === owner && !kept.has(text(item['id'])) ? [{ id: item['id'] }] : [])),
  );
}

export const releaseLost = (run: Run, [owner, ids]: readonly unknown[]): Answer =>
  release(
    run,
    run.store.found('task_item', list(ids)).filter((item) => item['state'] === 'reading' && item['lease_owner'] === owner),
  );

export function releaseAll(run: Run, [owner, readBackKinds]: readonly unknown[]): Answer {
  const { store } = run;
  const kinds = new Set(list(readBackKinds));
  const owned = leased(store).filter((item) => item['lease_owner'] === owner);
  const [kept, givenBack] = [owned.filter(({ kind }) => kinds.has(text(kind))), owned.filter(({ kind }) => !kinds.has(text(kind)))];
  release(run, kept);
  release(run, givenBack, 'given back');
  return count(owned.length);
}

export const releaseItems = (run: Run, [owner, ids]: readonly unknown[]): Answer =>
  release(
    run,
    run.store.found('task_item', list(ids)).filter((item) => item['state'] === 'reading' && item['lease_owner'] === owner),
    'given back',
  );

export function deleteEmptyClaims({ store }: Run): Answer {
  const over = store
    .rows('task_claim')
    .filter((claim) => (claim['items'] as string[]).every((id) => store.get('task_item', id)?.['state'] !== 'reading')); // as: written by claimNext
  for (const { id } of over) store.delete('task_claim', text(id));
  return count(over.length);
}

// ── Orders ──

export function createTask({ store, now }: Run, values: readonly unknown[]): Answer {
  const [kind, source, planId, originId, title, params, reason, total, priority, createdBy, waitsForDevice, expiresAt, traceparent] =
    values;
  const { id } = store.insert('task', {
    kind,
    source,
    plan_id: planId,
    origin_id: originId,
    title,
    params: jsonOf(params),
    reason,
    state: 'waiting',
    total,
    done: 0,
    ok: 0,
    failed: 0,
    priority,
    created_by: createdBy,
    waits_for_device: waitsForDevice,
    created_at: now,
    started_at: null,
    finished_at: null,
    expires_at: expiresAt === null ? now + DAY_MS : stampOf(expiresAt),
    is_stopped: false,
    traceparent,
  });
  return rowsOf([{ id }]);
}

const NEW_ITEM: Row = {
  meter_id: null,
  meter_ids: null,
  details: null,
  state: 'waiting',
  reason_code: null,
  reason_text: null,
  attempts: 0,
  lease_owner: null,
  lease_until: null,
  started_at: null,
  finished_at: null,
  latency_ms: null,
  result: null,
  trace_id: null,
};

export function createItems({ store, now }: Run, [kinds, dcuIds, meterIds, taskId, kind, priority]: readonly unknown[]): Answer {
  const [deviceKinds, dcus, meters] = [list(kinds), list(dcuIds), list(meterIds)];
  for (const [k, device_kind] of deviceKinds.entries()) {
    const device = { device_kind, dcu_id: dcus[k], meter_id: meters[k] ?? null };
    store.insert('task_item', { ...NEW_ITEM, task_id: text(taskId), kind, priority, ...device, not_before: now });
  }
  return count(deviceKinds.length);
}

/** A fleet of the simulation is too small for a second item of one DCU. */
export function createSharedItems(run: Run, values: readonly unknown[]): Answer {
  const { store, now } = run;
  const [, dcuIds, meterIds, taskId, kind, priority] = values;
  const [dcus, meters] = [list(dcuIds), list(meterIds)];
  const byDcu = Map.groupBy(meters.keys(), (k) => dcus[k]);
  for (const [dcu_id, places] of byDcu) {
    const meter_ids = [...places].map((k) => meters[k]);
    const item = { device_kind: 'meter', dcu_id, meter_ids, not_before: now };
    store.insert('task_item', { ...NEW_ITEM, task_id: text(taskId), kind, priority, ...item });
  }
  return count(byDcu.size);
}

const waitingOf = (store: Store, taskId: unknown): Row[] =>
  store.rows('task_item').filter((item) => item['task_id'] === text(taskId) && item['state'] === 'waiting');

export function pauseTask({ store }: Run, [id]: readonly unknown[]): Answer {
  const task = store.get('task', text(id));
  const isOurs =
    task !== undefined &&
    (task['state'] === 'waiting' || task['state'] === 'running') &&
    task['finished_at'] === null &&
    task['is_stopped'] !== true;
  if (!isOurs || !store.rows('task_item').some((item) => item['task_id'] === text(id) && isOpen(item))) return rowsOf([]);
  store.update('task', text(id), { state: 'paused' });
  return rowsOf([{ open: number(task['total']) - number(task['done']) }]);
}

export function holdItems({ store, now }: Run, [, taskId]: readonly unknown[]): Answer {
  const items = waitingOf(store, taskId);
  for (const item of items)
    store.update('task_item', text(item['id']), { not_before: PAUSED_FROM + (Math.max(number(item['not_before']), now) - now) });
  return count(items.length);
}

export function resumeTask({ store }: Run, [id]: readonly unknown[]): Answer {
  const task = store.get('task', text(id));
  if (task?.['state'] !== 'paused') return rowsOf([]);
  store.update('task', text(id), { state: task['started_at'] === null ? 'waiting' : 'running' });
  return rowsOf([{ open: number(task['total']) - number(task['done']) }]);
}

export function freeItems({ store, now }: Run, values: readonly unknown[]): Answer {
  const items = waitingOf(store, values.at(-1)).filter((item) => number(item['not_before']) >= PAUSED_FROM);
  for (const item of items) store.update('task_item', text(item['id']), { not_before: now + (number(item['not_before']) - PAUSED_FROM) });
  return count(items.length);
}

export function stopTask({ store }: Run, [id]: readonly unknown[]): Answer {
  const task = store.get('task', text(id));
  if (task === undefined || task['finished_at'] !== null || task['is_stopped'] === true) return rowsOf([]);
  store.update('task', text(id), { is_stopped: true });
  return rowsOf([{ open: number(task['total']) - number(task['done']) }]);
}

export function cancelItems({ store, now }: Run, [taskId]: readonly unknown[]): Answer {
  const items = waitingOf(store, taskId).filter((item) => !isPossiblyExecuted(item));
  for (const item of items) store.update('task_item', text(item['id']), { state: 'cancelled', reason_code: 'CANCELLED', finished_at: now });
  return count(items.length);
}

export function recountTask({ store, now }: Run, [id]: readonly unknown[]): Answer {
  const task = store.get('task', text(id));
  if (task === undefined) return count(0);
  const items = store.rows('task_item').filter((item) => item['task_id'] === text(id));
  const sum = devicesIn(items);
  const total = sum(() => true);
  const done = sum((state) => state !== 'waiting' && state !== 'reading');
  const ok = sum((state) => state === 'read_success');
  const failed = sum((state) => state === 'read_fail' || state === 'expired');
  const isOver = done >= total;
  const isBusy = items.some((item) => item['state'] === 'reading') || done > 0;
  const open = task['state'] === 'paused' && task['is_stopped'] !== true ? 'paused' : isBusy ? 'running' : 'waiting';
  store.update('task', text(id), {
    done,
    ok,
    failed,
    state: isOver ? endState({ ...task, total }, ok) : open,
    finished_at: isOver ? (task['finished_at'] ?? now) : null,
  });
  return count(1);
}

export function retryItems({ store, now }: Run, [taskId]: readonly unknown[]): Answer {
  const items = store
    .rows('task_item')
    .filter((item) => item['task_id'] === text(taskId) && (item['state'] === 'read_fail' || item['state'] === 'expired'));
  for (const item of items)
    store.update('task_item', text(item['id']), {
      state: 'waiting',
      reason_code: null,
      reason_text: null,
      attempts: 0,
      not_before: now,
      started_at: null,
      finished_at: null,
      details: null,
    });
  return rowsOf(items.map((item) => ({ devices: devicesOf(item) })));
}

export function retryOfTask({ store, now }: Run, [id]: readonly unknown[]): Answer {
  const task = store.get('task', text(id)) ?? {};
  store.update('task', text(id), { is_stopped: false, expires_at: Math.max(number(task['expires_at']), now + DAY_MS) });
  return count(1);
}

export function settleItems({ store }: Run, [state, reason, result, taskId, meterId, unknown]: readonly unknown[]): Answer {
  const items = store
    .rows('task_item')
    .filter((item) => item['task_id'] === text(taskId) && item['meter_id'] === text(meterId))
    .filter((item) => item['state'] === 'read_fail' && item['reason_code'] === unknown);
  const settled = items.map((item) =>
    store.update('task_item', text(item['id']), {
      state,
      reason_code: reason,
      reason_text: null,
      result: result === null ? item['result'] : jsonOf(result),
    }),
  );
  return rowsOf(settled.map((item) => ({ id: item['id'], task_id: item['task_id'], state: item['state'] })));
}

// ── Reads of consoles ──

/** The devices of an item, with what is kept of each: as the view `task_item_device`. */
function unfolded(item: Row): Row[] {
  const members = membersOf(item);
  if (members === null) return [item];
  const details = (item['details'] ?? []) as Record<string, unknown>[]; // as: written by partItems
  return members.map((meterId, k) => ({
    ...item,
    id: meterId,
    meter_id: meterId,
    reason_text: details[k]?.['reasonText'] ?? null,
    latency_ms: details[k]?.['latencyMs'] ?? null,
    result: details[k]?.['result'] ?? null,
    trace_id: details[k]?.['traceId'] ?? null,
  }));
}

export const itemRows = ({ store }: Run, [ids]: readonly unknown[]): Answer =>
  rowsOf(
    store
      .found('task_item', list(ids))
      .flatMap(unfolded)
      .toSorted(byId)
      .map((item) => ({
        id: item['id'],
        taskId: item['task_id'],
        deviceKind: item['device_kind'],
        dcuId: item['dcu_id'],
        dcuSn: store.get('dcu', text(item['dcu_id']))?.['sn'] ?? null,
        meterId: item['meter_id'],
        meterSn: store.get('meter', text(item['meter_id']))?.['sn'] ?? null,
        transformerName: null,
        state: item['state'],
        reasonCode: item['reason_code'],
        reasonText: item['reason_text'],
        attempts: item['attempts'],
        startedAt: dateOf(item['started_at']),
        finishedAt: dateOf(item['finished_at']),
        latencyMs: item['latency_ms'],
        result: structuredClone(item['result']),
        traceId: item['trace_id'],
      })),
  );

export const taskRows = ({ store }: Run, [ids]: readonly unknown[]): Answer =>
  rowsOf(
    store
      .rows('task')
      .filter((task) => list(ids).includes(text(task['id'])))
      .map((task) => ({
        id: task['id'],
        kind: task['kind'],
        source: task['source'],
        title: task['title'],
        state: task['state'],
        total: task['total'],
        done: task['done'],
        ok: task['ok'],
        failed: task['failed'],
        unknown: unknownOf(store, task),
        priority: task['priority'],
        createdBy: task['created_by'],
        createdByName: null,
        createdAt: dateOf(task['created_at']),
        startedAt: dateOf(task['started_at']),
        finishedAt: dateOf(task['finished_at']),
        params: structuredClone(task['params']),
        originId: task['origin_id'],
      })),
  );

const unknownOf = (store: Store, task: Row): number =>
  text(task['kind']).startsWith('relay_') && number(task['failed']) > 0
    ? store
        .rows('task_item')
        .filter((item) => item['task_id'] === task['id'] && item['state'] === 'read_fail' && item['reason_code'] === UNKNOWN_OUTCOME).length
    : 0;
