import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { monotonicNow, systemClock } from '#platform/clock.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { recordedLog } from '../../test/recorded-log.ts';
import { Admission, findContradiction, type Caller } from './admission.ts';
import type { EndpointSession } from './endpoint-session.ts';
import type { EndpointRow } from './queries.ts';

const TITLE = Buffer.from('4845530000000001', 'hex');
const ENDPOINT = {
  id: '5',
  sn: 'DCU5',
  meterId: null,
  systemTitle: TITLE,
  authenticationType: 'hls_gmac',
  allowedAddresses: ['10.0.0.0/8'],
};
const CALLER: Caller = { systemTitle: undefined, address: '192.0.2.1', certified: undefined };

let isKeyed: boolean;
/** Outcomes of the associations, in the order of their ends. */
let associations: ((outcome: Outcome<void>) => void)[];
let seen: string[];
let lines: ReturnType<typeof recordedLog>['lines'];
let admission: Admission;
const raise = vi.fn((_event: { lines: readonly string[] }) => Promise.resolve());
const query = vi.fn((_text: string, _values: unknown[]) => Promise.resolve());

beforeEach(() => {
  vi.useFakeTimers();
  [isKeyed, associations, seen] = [true, [], []];
  raise.mockClear();
  query.mockClear();
  const recorded = recordedLog();
  lines = recorded.lines;
  const tools = {
    ctx: { pool: { query } },
    log: new CountedLog(recorded.log, systemClock),
    sessions: { adopt: (session: EndpointSession) => Promise.resolve(void seen.push(`adopted ${session.endpoint.sn}`)) },
    devices: { loadEndpoint: () => Promise.resolve({ access: isKeyed ? { mechanism: 'hls_gmac' } : {} }) },
    fieldEvents: { raise },
    backoff: {
      recordSuccess: (sn: string, address: string) => void seen.push(`success of ${sn} at ${address}`),
      recordFailure: (sn: string, address: string) => void seen.push(`failure of ${sn} at ${address}`),
    },
    authenticate: () =>
      new Promise((resolve) => associations.push((outcome) => resolve({ outcome, trace: { id: `trace ${associations.length}` } }))),
    keepTrace: ({ id }: { id: string }) => void seen.push(`kept ${id}`),
  };
  admission = new Admission(tools as unknown as ConstructorParameters<typeof Admission>[0]); // as: no other members are used
});
afterEach(() => void vi.useRealTimers());

function sessionOf(endpoint: object = {}): EndpointSession {
  const session = {
    endpoint: { ...ENDPOINT, ...endpoint },
    connection: { remote: '192.0.2.1:4059', bytesIn: 7, bytesOut: 8 },
    direction: 'dial_in',
    opened: monotonicNow(),
    close: (reason: string, detail?: string) => void seen.push(`closed ${reason}: ${detail}`),
  };
  return session as unknown as EndpointSession; // as: admission uses no other members
}
const receive = async (caller: Partial<Caller> = {}, endpoint: object = {}) => {
  const received = admission.receive(sessionOf(endpoint), { ...CALLER, ...caller });
  await vi.advanceTimersByTimeAsync(0);
  return received;
};
/** Starts an association, which stays open. */
const begin = (address = CALLER.address, sn = 'DCU5') => {
  const received = admission.receive(sessionOf({ sn }), { ...CALLER, address });
  return { received, started: vi.advanceTimersByTimeAsync(0) };
};
const ADOPTED = ['success of DCU5 at 192.0.2.1', 'adopted DCU5'];

test('a DCU with keys is adopted after its association, and not before', async () => {
  const { received, started } = begin();
  await started;
  expect(seen).toEqual([]);
  associations[0]?.(ok(undefined));
  await received;
  expect(seen).toEqual(ADOPTED);
  expect(vi.getTimerCount()).toBe(0);
});

test('a DCU that fails its association is refused, with its trace, an event, a row and a line in the log', async () => {
  const { received, started } = begin();
  await started;
  await vi.advanceTimersByTimeAsync(1_500);
  associations[0]?.(failed('AUTH_FAILED', 'wrong key'));
  await received;
  const detail = 'AUTH_FAILED wrong key';
  expect(seen).toEqual(['failure of DCU5 at 192.0.2.1', `closed unproved: ${detail}`, 'kept trace 1']);
  expect(raise.mock.calls).toMatchObject([
    [{ device: { kind: 'dcu', id: '5', sn: 'DCU5' }, dcuId: '5', traceId: 'trace 1', code: FIELD_EVENT.notProved }],
  ]);
  expect(raise.mock.calls[0]?.[0]).toMatchObject({ lines: [expect.stringContaining(`192.0.2.1.4059, ${detail}, ×1`)] });
  expect(query.mock.calls.map(([, values]) => values)).toEqual([
    [null, 'DCU5', 'dial_in', '192.0.2.1:4059', 1_500, 'unproved', detail, 7, 8],
  ]);
  expect(lines).toMatchObject([
    { level: 'warn', message: 'A connection was not authenticated as its DCU', dcuSn: 'DCU5', remote: '192.0.2.1:4059', detail },
  ]);
});

test('a refusal without details is reported by its reason, and a direct meter as a meter', async () => {
  const received = admission.receive(sessionOf({ meterId: '9' }), CALLER);
  await vi.advanceTimersByTimeAsync(0);
  associations[0]?.(failed('METER_TIMEOUT'));
  await received;
  expect(seen).toContain('closed unproved: METER_TIMEOUT');
  expect(raise.mock.calls).toMatchObject([[{ device: { kind: 'meter', id: '9', sn: 'DCU5' }, dcuId: '5' }]]);
});

test('refusals of a DCU are reported once an hour, with their number', async () => {
  isKeyed = false;
  for (let times = 0; times < 3; times++) await receive();
  expect(raise).toHaveBeenCalledTimes(1);
  expect(raise.mock.lastCall?.[0].lines).toEqual([expect.stringContaining('×1')]);
  await receive({}, { id: '6' });
  expect(raise, 'another DCU is reported for itself').toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(3_599_999);
  await receive();
  expect(raise).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  await receive();
  expect(raise).toHaveBeenCalledTimes(3);
  expect(raise.mock.lastCall?.[0].lines).toEqual([expect.stringContaining('×4')]);
  expect(raise.mock.lastCall?.[0]).toMatchObject({ traceId: null });
});

test('a DCU without keys is admitted by its address or by its certificate', async () => {
  isKeyed = false;
  await receive({ address: '10.1.2.3' });
  await receive({ certified: ['DCU5'] });
  expect(seen).toEqual(['success of DCU5 at 10.1.2.3', 'adopted DCU5', ...ADOPTED]);
  seen = [];
  await receive();
  expect(seen).toEqual(['failure of DCU5 at 192.0.2.1', 'closed unproved: No keys, no client certificate, and no allowed address']);
});

test('keys without mutual proof do not admit a DCU', async () => {
  await receive({}, { authenticationType: 'lls' });
  expect([associations, seen[0]]).toEqual([[], 'failure of DCU5 at 192.0.2.1']);
});

test('a contradiction to the archive is refused before anything is sent', async () => {
  await receive({ certified: ['DCU6'] });
  expect(associations).toEqual([]);
  expect(seen).toEqual(['failure of DCU5 at 192.0.2.1', 'closed unproved: The client certificate is of DCU6']);
});

test.each<[string, Partial<Caller>, Uint8Array | null, string | undefined]>([
  ['nothing is claimed', {}, TITLE, undefined],
  ['the system title is that of the archive', { systemTitle: Uint8Array.from(TITLE) }, TITLE, undefined],
  ['the archive has no system title', { systemTitle: TITLE }, null, undefined],
  [
    'the system title is another one',
    { systemTitle: Buffer.from('4845530000000aff', 'hex') },
    TITLE,
    'System title 4845530000000AFF is not that of the archive',
  ],
  ['the certificate names the DCU among others', { certified: ['DCU4', 'DCU5'] }, TITLE, undefined],
  ['the certificate names others', { certified: ['DCU4', 'DCU6'] }, TITLE, 'The client certificate is of DCU4, DCU6'],
  ['the certificate names none', { certified: [] }, TITLE, 'The client certificate is of no DCU'],
])('a contradiction when %s', (_when, caller, systemTitle, expected) => {
  expect(findContradiction({ ...ENDPOINT, systemTitle } as unknown as EndpointRow, { ...CALLER, ...caller })).toBe(expected); // as: no other members are read
});

test('four associations at a time are tried under one name from one host, and more from others', async () => {
  const running = Array.from({ length: 4 }, () => begin());
  await vi.advanceTimersByTimeAsync(0);
  await receive();
  expect(seen).toEqual(['closed unproved: Too many connections under this name']);
  const others = [begin('192.0.2.2'), begin(CALLER.address, 'DCU6')];
  await vi.advanceTimersByTimeAsync(0);
  expect(associations).toHaveLength(6);
  // An association that has ended leaves its place, and only its own.
  associations[0]?.(ok(undefined));
  await running[0]?.received;
  begin();
  await vi.advanceTimersByTimeAsync(0);
  expect(associations).toHaveLength(7);
  await receive();
  expect(associations).toHaveLength(7);
  for (const end of associations) end(ok(undefined));
  await Promise.all([...running, ...others].map(({ received }) => received));
});

test('64 associations at a time are tried under one name', async () => {
  for (let host = 1; host <= 64; host++) begin(`192.0.2.${host}`);
  await vi.advanceTimersByTimeAsync(0);
  await receive({ address: '192.0.2.65' });
  expect([associations.length, seen]).toEqual([64, ['closed unproved: Too many connections under this name']]);
});

test('an association that takes fifteen seconds is closed', async () => {
  const { received } = begin();
  await vi.advanceTimersByTimeAsync(14_999);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual(['closed unproved: No authentication in time']);
  associations[0]?.(failed('METER_TIMEOUT'));
  await received;
});

test('a stop closes the connections that are not admitted yet, and reports none of them', async () => {
  const { received, started } = begin();
  await started;
  admission.stop();
  associations[0]?.(failed('METER_TIMEOUT'));
  await received;
  await receive();
  expect(seen).toEqual(['closed server_stopped: undefined', 'closed server_stopped: undefined']);
  expect([raise.mock.calls, query.mock.calls]).toEqual([[], []]);
});

test('a connection that was admitted is not closed by a stop', async () => {
  isKeyed = false;
  await receive({ address: '10.1.2.3' });
  admission.stop();
  expect(seen).toEqual(['success of DCU5 at 10.1.2.3', 'adopted DCU5']);
});
