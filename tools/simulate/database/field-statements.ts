import { createHash } from 'node:crypto';
import { ADVISORY_LOCKS } from '../../../apps/server/src/db/advisory-locks.ts';
import { count, dateOf, greatest, list, number, rowsOf, stampOf, text, type Answer, type Run } from './statement.ts';
import type { Row, Store } from './store.ts';

const COUNTERS_SINCE_S = 1_577_836_800;
const MOST_COUNTERS = 4_294_967_296;
const OUT_OF_ORDER_MS = 60_000;
const MISSED_HEARTBEATS_MS = 2500;
const ASSUMED_STATES = ['offline', 'unknown'];

const DAY_MS = 86_400_000;
const clockCounter = (now: number): number => Math.round(now / 1000) - COUNTERS_SINCE_S;
/** `greatest` of the stored and the new moment, unless the stored one dates from before the clock was set back. */
const newest = (stored: unknown, fresh: number | null): unknown =>
  stored !== null && stored !== undefined && fresh !== null && number(stored) > fresh + OUT_OF_ORDER_MS ? fresh : greatest(stored, fresh);

// ── Counters ──

export function takeSpan({ store, now }: Run, [size]: readonly unknown[]): Answer {
  const through = Math.min(
    Math.max(number(store.get('counter_mark', 'true')?.['through'] ?? 0), clockCounter(now)) + number(size),
    MOST_COUNTERS,
  );
  store.put('counter_mark', 'true', { id: true, through });
  return rowsOf([{ first: String(through - number(size)) }]);
}

export const reserve =
  (table: 'dcu' | 'meter') =>
  ({ store, now }: Run, [ids, size]: readonly unknown[]): Answer => {
    const through = number(store.get('counter_mark', 'true')?.['through'] ?? 0);
    const wanted = store.found(table, [...new Set(list(ids))]);
    return rowsOf(
      wanted.map((device) => {
        const counter = Math.min(Math.max(number(device['invocation_counter']), through, clockCounter(now)) + number(size), MOST_COUNTERS);
        store.update(table, text(device['id']), { invocation_counter: counter });
        return { id: device['id'], first: String(counter - number(size)) };
      }),
    );
  };

export const believe =
  (table: 'dcu' | 'meter') =>
  ({ store, now }: Run, [id, atLeast]: readonly unknown[]): Answer => {
    const device = store.get(table, text(id));
    const jumpedAt = device?.['counter_jumped_at'];
    const isOlder = typeof jumpedAt !== 'number' || jumpedAt < now - DAY_MS || jumpedAt > now;
    if (device === undefined || !isOlder) return count(0);
    const counter = Math.max(number(device['invocation_counter']), number(atLeast));
    store.update(table, text(id), { invocation_counter: counter, counter_jumped_at: now });
    return count(1);
  };

export const keepProved =
  (table: 'dcu' | 'meter') =>
  ({ store }: Run, [id, proved]: readonly unknown[]): Answer => {
    const device = store.get(table, text(id));
    if (device === undefined) return count(0);
    store.update(table, text(id), { proved_counter: Math.max(number(device['proved_counter'] ?? 0), number(proved)) });
    return count(1);
  };

// ── Devices ──

export const meterDevices = ({ store }: Run, [ids]: readonly unknown[]): Answer =>
  rowsOf(
    [...new Set(list(ids))].flatMap((id) => {
      const meter = store.get('meter', id ?? '');
      if (meter === undefined) return [];
      const type = store.get('meter_type', text(meter['meter_type_id'])) ?? {};
      const dcu = store.get('dcu', text(meter['dcu_id'])) ?? {};
      return {
        id: meter['id'],
        sn: meter['sn'],
        dcuId: meter['dcu_id'],
        meterTypeId: meter['meter_type_id'],
        isDirect: false,
        gatewayAddress: meter['gateway_address'],
        clientSap: type['client_sap'],
        serverSap: type['server_sap'],
        authenticationType: type['authentication_type'],
        systemTitle: meter['system_title'],
        ekSecret: meter['ek_secret'],
        akSecret: meter['ak_secret'],
        passwordSecret: meter['password_secret'],
        peerCounter: String(number(meter['peer_invocation_counter'])),
        ownMark: String(number(meter['invocation_counter'])),
        provedCounter: String(number(meter['proved_counter'] ?? 0)),
        apduSize: store.get('dcu_type', text(dcu['dcu_type_id']))?.['apdu_size'] ?? null,
        securitySuite: type['security_suite'],
        ciphering: type['ciphering'],
        keyAgreement: type['key_agreement'],
        generalSigning: type['general_signing'],
        certificates: null,
        association: type['association'],
        addressing: type['addressing'],
        quirks: type['quirks'],
        lpaPeriodS: type['lpa_period_s'],
        lpbPeriodS: type['lpb_period_s'],
        marks: structuredClone(meter['marks']),
        memoryId: meter['memory_id'],
        setAsideUntil: dateOf(meter['set_aside_until']),
        setAsideTimes: meter['set_aside_times'],
      };
    }),
  );

function dcuRow(store: Store, dcu: Row): Row {
  const type = store.get('dcu_type', text(dcu['dcu_type_id'])) ?? {};
  return {
    id: dcu['id'],
    sn: dcu['sn'],
    nodeId: dcu['node_id'] ?? null,
    lastNodeId: store.get('dcu_session', text(dcu['last_session_id'] ?? ''))?.['node_id'] ?? null,
    // The fleet has no direct meters.
    meterId: null,
    connectionType: dcu['connection_type'],
    protocol: dcu['protocol'] ?? 'dlms_wrapper',
    physicalAddress: dcu['physical_address'] ?? null,
    host: dcu['host'],
    port: dcu['port'],
    heartbeatS: type['heartbeat_s'],
    parallelMeters: type['parallel_meters'],
    apduSize: type['apdu_size'],
    clientSap: dcu['client_sap'],
    serverSap: dcu['server_sap'],
    authenticationType: dcu['authentication_type'],
    systemTitle: dcu['system_title'],
    ekSecret: dcu['ek_secret'],
    akSecret: dcu['ak_secret'],
    passwordSecret: dcu['password_secret'],
    certificates: null,
    ownMark: String(number(dcu['invocation_counter'])),
    provedCounter: String(number(dcu['proved_counter'] ?? 0)),
    allowedAddresses: [],
  };
}

const dcusWhere = (isMeant: (dcu: Row) => boolean, { store }: Run): Answer =>
  rowsOf(
    store
      .rows('dcu')
      .filter(isMeant)
      .map((dcu) => dcuRow(store, dcu)),
  );
export const dcusBySn = (run: Run, [sns]: readonly unknown[]): Answer => dcusWhere((dcu) => list(sns).includes(text(dcu['sn'])), run);
export const dcusById = (run: Run, [ids]: readonly unknown[]): Answer => dcusWhere((dcu) => list(ids).includes(text(dcu['id'])), run);
export const dcusToDial = (run: Run): Answer => dcusWhere((dcu) => dcu['connection_type'] === 'dial_out' && dcu['host'] !== null, run);

// ── Connections ──

const isOpenNode = (node: Row): boolean => node['ended_at'] === null;

export function openNodes({ store, database }: Run): Answer {
  const locks = new Set([...database.clients].flatMap((client) => [...client.locks]));
  return rowsOf(
    store
      .rows('node')
      .filter(isOpenNode)
      .map((node) => ({
        id: node['id'],
        name: node['name'],
        owner: node['owner'],
        aliveAt: String(node['alive_at']),
        isLocked: locks.has(`${ADVISORY_LOCKS.owner.number}/${text(node['owner'])}`),
        roles: node['roles'],
        isDraining: node['draining_at'] !== null,
        isDrained: node['drained_at'] !== null,
      })),
  );
}

export function insertNode({ store, now }: Run, [name, version, owner, isDraining, roles, schema, share]: readonly unknown[]): Answer {
  const drain = { draining_at: isDraining === true ? now : null, drained_at: null };
  return rowsOf([
    {
      id: store.insert('node', {
        name,
        version,
        owner,
        roles,
        schema,
        trace_share: share,
        started_at: now,
        alive_at: now,
        ended_at: null,
        ...drain,
      })['id'],
    },
  ]);
}

/** The only node has every turn. */
export function takeTurn({ store }: Run, [, id]: readonly unknown[]): Answer {
  const node = store.get('node', text(id));
  return count(node !== undefined && isOpenNode(node) ? 1 : 0);
}

export function extendNode({ store, now }: Run, [id]: readonly unknown[]): Answer {
  const node = store.get('node', text(id));
  if (node === undefined || !isOpenNode(node)) return count(0);
  store.update('node', text(id), { alive_at: Math.max(number(node['started_at']), now) });
  return rowsOf([{ isDraining: node['draining_at'] !== null }]);
}

export function beginDrain({ store, now }: Run, [id]: readonly unknown[]): Answer {
  const node = store.get('node', text(id));
  if (node === undefined || !isOpenNode(node) || node['draining_at'] !== null) return count(0);
  store.update('node', text(id), { draining_at: now, drained_at: null });
  return count(1);
}

export function endDrain({ store, now }: Run, [id]: readonly unknown[]): Answer {
  const node = store.get('node', text(id));
  if (node === undefined || !isOpenNode(node) || node['draining_at'] === null || node['drained_at'] !== null) return count(0);
  store.update('node', text(id), { drained_at: now });
  return count(1);
}

export function endDeadNode({ store }: Run, [id, aliveAt]: readonly unknown[]): Answer {
  const node = store.get('node', text(id));
  if (node === undefined || !isOpenNode(node) || String(node['alive_at']) !== aliveAt) return rowsOf([]);
  store.update('node', text(id), { ended_at: node['alive_at'] });
  for (const session of store.rows('dcu_session'))
    if (session['node_id'] === id && session['closed_at'] === null && session['identified_at'] !== null)
      store.update('dcu_session', text(session['id']), {
        closed_at: Math.max(number(session['identified_at']), number(node['alive_at'])),
        close_reason: 'server_stopped',
      });
  for (const dcu of store.rows('dcu'))
    if (dcu['node_id'] === id) store.update('dcu', text(dcu['id']), { online_status: 'unknown', node_id: null });
  return rowsOf([{ id }]);
}

export function endNode({ store, now }: Run, [id]: readonly unknown[]): Answer {
  const node = store.get('node', text(id));
  if (node === undefined || !isOpenNode(node)) return count(0);
  const at = Math.max(number(node['started_at']), now);
  store.update('node', text(id), { ended_at: at, alive_at: at });
  return count(1);
}

export const holdsConnection = ({ store }: Run, [id, epoch]: readonly unknown[]): Answer =>
  rowsOf(store.get('dcu', text(id))?.['last_session_id'] === text(epoch) ? [{}] : []);

export const metersOfEndpoint = ({ store }: Run, [id]: readonly unknown[]): Answer =>
  rowsOf(
    store
      .rows('meter')
      .filter((meter) => meter['dcu_id'] === text(id))
      .map((meter) => ({ id: meter['id'] })),
  );

export function endUnknown({ store }: Run, [startedMsAgo, alive]: readonly unknown[]): Answer {
  if (list(alive).some((id) => store.get('node', text(id))?.['ended_at'] != null)) return rowsOf([]);
  const ended = store.rows('dcu').filter((dcu) => {
    const type = store.get('dcu_type', text(dcu['dcu_type_id'])) ?? {};
    return dcu['online_status'] === 'unknown' && number(type['heartbeat_s']) * MISSED_HEARTBEATS_MS <= number(startedMsAgo);
  });
  for (const { id } of ended) store.update('dcu', text(id), { online_status: 'offline' });
  return rowsOf(ended.map((dcu) => ({ id: dcu['id'], sn: dcu['sn'], isDcu: true, lastCommAt: dateOf(dcu['last_comm_at']) })));
}

export function openSession({ store, now }: Run, [dcuId, name, direction, remote, openMs, nodeId]: readonly unknown[]): Answer {
  const { id } = store.insert('dcu_session', {
    dcu_id: dcuId,
    claimed_name: name,
    direction,
    remote,
    opened_at: Math.round(now - number(openMs)),
    identified_at: now,
    closed_at: null,
    close_reason: null,
    close_detail: null,
    node_id: nodeId,
  });
  store.update('dcu', text(dcuId), { online_status: 'online', last_comm_at: now, last_session_id: id, node_id: nodeId });
  return rowsOf([{ id }]);
}

export function closeSession({ store, now }: Run, values: readonly unknown[]): Answer {
  const [id, reason, detail, , , onlineStatus, dcuId, closedForMs] = values;
  const session = store.get('dcu_session', text(id));
  if (session?.['closed_at'] === null)
    store.update('dcu_session', text(id), {
      closed_at: Math.max(number(session['identified_at']), now - number(closedForMs)),
      close_reason: reason,
      close_detail: detail,
    });
  const dcu = store.get('dcu', text(dcuId));
  if (!ASSUMED_STATES.includes(text(onlineStatus)) || dcu?.['last_session_id'] !== text(id)) return count(0);
  store.update('dcu', text(dcuId), { online_status: onlineStatus, node_id: null });
  return count(1);
}

export function recordStranger({ store, now }: Run, values: readonly unknown[]): Answer {
  const [dcuId, name, direction, remote, openMs, reason, detail] = values;
  store.insert('dcu_session', {
    dcu_id: dcuId,
    claimed_name: name,
    direction,
    remote,
    opened_at: Math.round(now - number(openMs)),
    identified_at: null,
    closed_at: now,
    close_reason: reason,
    close_detail: detail,
  });
  return count(1);
}

export function parkCaller({ store, now }: Run, [name, remote]: readonly unknown[]): Answer {
  const known = store.get('dcu_unregistered', text(name));
  store.put('dcu_unregistered', text(name), {
    claimed_name: name,
    remote,
    last_seen_at: now,
    times_seen: number(known?.['times_seen'] ?? 0) + 1,
  });
  return count(1);
}

// ── Device state ──

export function updateMeters({ store }: Run, values: readonly unknown[]): Answer {
  const [ids, heard, read, counters, , before, after] = values.map((value, index) => (index === 4 ? [] : list(value)));
  const marks = values[4] as (string | null)[]; // as: the one array that is not written plainly
  const lost: Row[] = [];
  for (const [k, id] of (ids ?? []).entries()) {
    const meter = store.get('meter', id ?? '');
    if (meter === undefined) continue;
    const at = (column: (string | null)[] | undefined): string | null => column?.[k] ?? null;
    const stamp = (column: (string | null)[] | undefined): number | null => (at(column) === null ? null : Number(at(column)));
    const told = marks[k] ?? null;
    const isUntouched = told === null && at(after) === null;
    const known = (meter['memory_id'] ?? null) as string | null; // as: a number or none
    const isExpected = known === at(before) || (known !== null && known === at(after));
    const memoryId = isUntouched ? meter['memory_id'] : isExpected ? at(after) : null;
    store.update('meter', text(id), {
      last_comm_at: newest(meter['last_comm_at'], stamp(heard)),
      last_read_at: newest(meter['last_read_at'], stamp(read)),
      peer_invocation_counter: Math.max(number(meter['peer_invocation_counter']), Number(at(counters))),
      marks: told === null ? meter['marks'] : { ...(meter['marks'] as object), ...(JSON.parse(told) as object) }, // as: objects of moments
      memory_id: memoryId,
      inventory_state: meter['inventory_state'] === 'installed' && stamp(read) !== null ? 'active' : meter['inventory_state'],
    });
    if (at(after) !== null && memoryId === null) lost.push({ id });
  }
  return rowsOf(lost);
}

export function updateEndpoints({ store }: Run, [ids, heard]: readonly unknown[]): Answer {
  const stamps = (heard as unknown[]).map(stampOf); // as: an array of moments
  for (const [k, id] of list(ids).entries()) {
    const dcu = store.get('dcu', id ?? '');
    if (dcu !== undefined) store.update('dcu', text(id), { last_comm_at: newest(dcu['last_comm_at'], stamps[k] ?? null) });
  }
  return count(list(ids).length);
}

export function keepMemory({ store, now }: Run, [told]: readonly unknown[]): Answer {
  const digest = createHash('sha256').update(text(told)).digest('hex');
  const known = store.rows('meter_memory').find((memory) => memory['digest'] === digest);
  // A conflict consumes a sequence number, too.
  const fresh = store.nextId('meter_memory');
  const id = text(known?.['id'] ?? fresh);
  store.put('meter_memory', id, { id, told, digest, learnt_at: now });
  return rowsOf([{ id }]);
}

export const memories = ({ store }: Run, [ids]: readonly unknown[]): Answer =>
  rowsOf(
    store
      .rows('meter_memory')
      .filter((memory) => list(ids).includes(text(memory['id'])))
      .map((memory) => ({ id: memory['id'], text: memory['told'] })),
  );

export const readingItems = ({ store }: Run, [keys]: readonly unknown[]): Answer =>
  rowsOf(
    list(keys).flatMap((key) => {
      const item = store.get('obis_code', key ?? '');
      return item === undefined
        ? []
        : { key, obis: item['obis'], classId: item['class_id'], attribute: item['attribute'], unit: item['unit'] };
    }),
  );

export function setAside({ store }: Run, [id, until, times, why]: readonly unknown[]): Answer {
  store.update('meter', text(id), { set_aside_until: stampOf(until), set_aside_times: times, set_aside_why: why });
  return count(1);
}

export function readAgain({ store }: Run, [id]: readonly unknown[]): Answer {
  store.update('meter', text(id), { set_aside_until: null, set_aside_times: 0, set_aside_why: null });
  return count(1);
}

export function undefinedAnswers({ store }: Run, values: readonly unknown[]): Answer {
  const [type, keys, , , , meterId] = values;
  for (const key of list(keys)) store.put('undefined_answer', `${text(type)}/${key}/${text(meterId)}`, { key, meter_id: meterId });
  return count(list(keys).length);
}

// ── Relays ──

/** Whether a command was sent to the relay after this one. */
export function isSuperseded(store: Store, command: Row): boolean {
  const own = store.get('relay_sent', text(command['id']));
  return (
    own !== undefined &&
    store.rows('relay_sent').some((row) => row['meter_id'] === own['meter_id'] && number(row['sent_order']) > number(own['sent_order']))
  );
}

function commandRow(store: Store, command: Row): Row {
  return {
    id: command['id'],
    taskId: command['task_id'],
    meterId: command['meter_id'],
    operation: command['operation'],
    requestedBy: command['requested_by'],
    needsApproval: command['needs_approval'],
    nonce: command['nonce'],
    validUntil: dateOf(command['valid_until']),
    seal: command['seal'],
    state: command['state'],
    powerBeforeW: command['power_before_w'],
    isSent: store.get('relay_sent', text(command['id'])) !== undefined,
    isSuperseded: isSuperseded(store, command),
    approved: null,
    by: null,
    approverId: null,
    word: null,
  };
}

const commandOf = (store: Store, taskId: unknown, meterId: unknown): Row | undefined =>
  store.rows('relay_command').find((command) => command['task_id'] === text(taskId) && command['meter_id'] === text(meterId));

export function findCommand({ store }: Run, [taskId, meterId]: readonly unknown[]): Answer {
  const command = commandOf(store, taskId, meterId);
  return rowsOf(command === undefined ? [] : [commandRow(store, command)]);
}

const NO_COMMAND = Object.fromEntries(
  'id taskId meterId operation requestedBy needsApproval nonce validUntil seal state powerBeforeW approved by approverId word'
    .split(' ')
    .map((name) => [name, null]),
);

export const waitingSwitches = ({ store, now }: Run): Answer =>
  rowsOf(
    store
      .rows('task_item')
      .filter((item) => item['state'] === 'waiting' && ['relay_disconnect', 'relay_connect', 'relay_arm'].includes(text(item['kind'])))
      .map((item) => {
        const command = commandOf(store, item['task_id'], item['meter_id']);
        return {
          ...(command === undefined ? { ...NO_COMMAND, isSent: false } : commandRow(store, command)),
          isDue: number(item['not_before']) <= now,
          item: {
            id: item['id'],
            taskId: item['task_id'],
            kind: item['kind'],
            deviceKind: item['device_kind'],
            dcuId: item['dcu_id'],
            meterId: item['meter_id'],
          },
        };
      }),
  );

export function knownPower({ store }: Run, [meterId, measured]: readonly unknown[]): Answer {
  const latest = store.get('meter_latest', text(meterId))?.['p_avg_plus_w'] ?? null;
  const sent = store
    .rows('relay_sent')
    .filter((row) => row['meter_id'] === text(meterId) && row['operation'] === 'disconnect')
    .toSorted((a, b) => number(b['at']) - number(a['at']))[0];
  return rowsOf([{ w: greatest(measured, latest, sent?.['power_w'] ?? null) }]);
}

const HOUR_MS = 3_600_000;

export function sentLately({ store, now }: Run): Answer {
  const ofDay = store.rows('relay_sent').filter((row) => number(row['at']) > now - 24 * HOUR_MS);
  const ofHour = ofDay.filter((row) => number(row['at']) > now - HOUR_MS);
  return rowsOf([
    {
      is_stopped: false,
      meters: ofHour.length,
      of_day: ofDay.length,
      w: String(ofHour.reduce((sum, row) => sum + number(row['power_w']), 0)),
    },
  ]);
}

export function batchState({ store }: Run, [taskId]: readonly unknown[]): Answer {
  const commands = store.rows('relay_command').filter((command) => command['task_id'] === text(taskId));
  const sent = commands.filter((command) => store.get('relay_sent', text(command['id'])) !== undefined);
  return rowsOf([
    {
      total: commands.length,
      ended: sent.filter((command) => command['state'] !== 'sent').length,
      bad: sent.filter((command) => ['failed', 'unknown', 'refused'].includes(text(command['state']))).length,
    },
  ]);
}

export function markSent({ store, now }: Run, [commandId, meterId, operation, powerW]: readonly unknown[]): Answer {
  // PostgreSQL takes the number before it notices that the row exists.
  const sentOrder = store.nextId('relay_sent');
  if (store.get('relay_sent', text(commandId)) !== undefined) return count(0);
  const row = { command_id: commandId, meter_id: meterId, operation, power_w: powerW, at: now, sent_order: sentOrder };
  store.put('relay_sent', text(commandId), row);
  return count(1);
}

export function commandSent({ store }: Run, [state, powerW, id]: readonly unknown[]): Answer {
  store.update('relay_command', text(id), { state, power_before_w: powerW });
  return count(1);
}

export function endCommand({ store, now }: Run, [id, state, reason, traceId, before, after]: readonly unknown[]): Answer {
  const command = store.get('relay_command', text(id));
  if (command === undefined) return count(0);
  store.update('relay_command', text(id), {
    state,
    reason_code: reason,
    trace_id: traceId ?? command['trace_id'] ?? null,
    power_before_w: before ?? command['power_before_w'],
    power_after_w: after ?? command['power_after_w'],
    ended_at: now,
  });
  return count(1);
}

export function storeRelay({ store, now }: Run, [meterId, state, output, mode, by]: readonly unknown[]): Answer {
  const meter = store.get('meter', text(meterId));
  if (meter === undefined) return count(0);
  const isSwitched = by !== null && by !== undefined;
  store.update('meter', text(meterId), {
    relay_state: state,
    relay_output: output,
    relay_mode: mode,
    relay_read_at: now,
    relay_switched_at: isSwitched ? now : (meter['relay_switched_at'] ?? null),
    relay_switched_by: isSwitched ? by : (meter['relay_switched_by'] ?? null),
  });
  return count(1);
}

const SHOWN_BY: Record<string, string> = { disconnect: 'disconnected', connect: 'connected', arm: 'ready' };

/** Parameters are the state of the relay, twice, and the meter. */
export function settleCommands({ store, now }: Run, values: readonly unknown[]): Answer {
  const [shown, meterId] = [values[0], values.at(-1)];
  const isOpenItem = (command: Row): boolean =>
    store
      .rows('task_item')
      .some(
        (item) =>
          item['task_id'] === command['task_id'] &&
          item['meter_id'] === command['meter_id'] &&
          (item['state'] === 'waiting' || item['state'] === 'reading'),
      );
  const settled = store
    .rows('relay_command')
    .filter((command) => command['meter_id'] === text(meterId) && !isSuperseded(store, command))
    .filter((command) => command['state'] === 'unknown' || (command['state'] === 'sent' && !isOpenItem(command)));
  return rowsOf(
    settled.map((command) => {
      const isDone = SHOWN_BY[text(command['operation'])] === shown;
      const state = isDone ? 'done' : 'failed';
      store.update('relay_command', text(command['id']), { state, reason_code: isDone ? null : 'RELAY_NOT_SWITCHED', ended_at: now });
      return { task_id: command['task_id'], state };
    }),
  );
}

export function orderRelay({ store, now }: Run, [taskId, meterId, operation, by, seal, nonce, validUntil]: readonly unknown[]): Answer {
  store.insert('relay_command', {
    task_id: taskId,
    meter_id: meterId,
    operation,
    requested_by: by,
    needs_approval: false,
    state: 'waiting',
    reason_code: null,
    power_before_w: null,
    power_after_w: null,
    created_at: now,
    ended_at: null,
    trace_id: null,
    seal,
    nonce,
    valid_until: stampOf(validUntil),
  });
  return count(1);
}

export function lastHash({ store }: Run): Answer {
  const last = store.rows('command_log').at(-1);
  return rowsOf(last === undefined ? [] : [{ hash: last['hash'] }]);
}

export function logCommand({ store }: Run, values: readonly unknown[]): Answer {
  // The hash is the last value of every entry.
  store.insert('command_log', { hash: values.at(-1) });
  return count(1);
}
