/** Thread of `StoreThread`: stores requests through a separate pool and answers after the commit. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '#platform/clock.ts';
import { IDLE_TRANSACTION_MS, openPool } from '#db/pool.ts';
import type { Log, LogFields } from '#platform/log.ts';
import { collectGarbageWhenIdle } from '#platform/idle-gc.ts';
import type { Stored } from '../reading-store.ts';
import { TraceWriter } from '../trace-writer.ts';
import { ReadingWriter } from '../writer.ts';
import { unpackReading, unpackTrace, type FromThread, type StoreRequest, type ThreadOptions, type ToThread } from './messages.ts';

/** One each for readings, traces and the creation of partitions. */
const CONNECTIONS = 3;

if (parentPort === null) throw new Error('This is a thread of the server and not a program');
collectGarbageWhenIdle();
const port = parentPort;
const { connection, timeZone } = workerData as ThreadOptions; // as: StoreThread starts us
const postToServer = (message: FromThread) => port.postMessage(message);

/** Forwards log entries to the log of the main thread. */
function createForwardingLog(base: LogFields): Log {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      postToServer({ kind: 'log', level, message, fields: { ...base, ...fields } });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createForwardingLog({ ...base, ...fields }),
  };
}

// Every message carries the time of the main thread, because tests replace its clock.
let clockAheadMs = 0;
const clock = { now: () => systemClock.now() + clockAheadMs };
const log = createForwardingLog({ part: 'store' });
const pool = openPool({ connection, max: CONNECTIONS, isBackground: true, idleTransactionMs: IDLE_TRANSACTION_MS }, log);
const bus = {
  publish: (topic: string, message: Extract<FromThread, { kind: 'publish' }>['message']) =>
    postToServer({ kind: 'publish', topic, message }),
};
const readings = new ReadingWriter({ pool, clock, log, bus, settings: { timeZone } });
const traces = new TraceWriter(pool, log);

let answers: Extract<FromThread, { kind: 'stored' }>['answers'] = [];

/** Collects the answers of one batch into one message. */
function queueAnswer(one: (typeof answers)[number]): void {
  if (answers.length === 0) {
    setImmediate(() => {
      postToServer({ kind: 'stored', answers });
      answers = [];
    });
  }
  answers.push(one);
}

function storeRequest(request: StoreRequest, numbers: Float64Array): Promise<Stored> {
  switch (request.kind) {
    case 'profile':
      return readings.storeProfile(unpackReading(request.reading, numbers), request.urgent);
    case 'daily':
      return readings.storeDaily(request.rows, request.urgent);
    case 'values':
      return readings.storeValues(request.meterId, request.values, request.urgent);
  }
}

async function stopThread(): Promise<void> {
  await readings.stop();
  await traces.stop();
  await pool.end();
  // The port closes after the last answers, which a `setImmediate` sends.
  setImmediate(() => port.close());
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'stop') return void stopThread();
  clockAheadMs = message.now - systemClock.now();
  for (const request of message.requests) {
    storeRequest(request, message.numbers).then(
      (stored) => queueAnswer({ id: request.id, stored }),
      (error: unknown) => queueAnswer({ id: request.id, error }),
    );
  }
  for (const trace of message.traces) traces.storeTrace(unpackTrace(trace, message.octets));
});
