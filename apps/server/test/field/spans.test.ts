import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { currentTraceparent, inSpan } from '../../src/platform/spans.ts';
import type { TestUser } from '../test-app.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 20_000, interval: 100 };
const TRACE_OF_CALLER = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
const SPAN_OF_CALLER = '0102030405060708';

/** The part of an OTLP span that is judged. */
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}
interface OtlpBody {
  resourceSpans: { resource: { attributes: OtlpSpan['attributes'] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

const received: { path: string; headers: IncomingHttpHeaders; body: OtlpBody }[] = [];
const collector = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => (text += part));
  request.on('end', () => {
    received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as OtlpBody }); // as: OTLP in JSON
    response.setHeader('content-type', 'application/json').end('{}');
  });
});
const spans = (): OtlpSpan[] =>
  received.flatMap(({ body }) => body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
const attributeOf = ({ attributes }: Pick<OtlpSpan, 'attributes'>, key: string): unknown =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

let bench: ServerBench;
let server: Server;
let user: TestUser;
beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  bench = await serverBench();
  user = await bench.app.addUser({ roles: ['ADMIN'] });
  const { port } = collector.address() as AddressInfo; // as: it listens on TCP
  server = await bench.server('traced', { HES_OTLP_URL: `http://127.0.0.1:${port}`, HES_OTLP_AUTHORIZATION: 'Bearer of-the-test' });
}, 60_000);
afterAll(async () => {
  await bench.close();
  collector.close();
});

/** Reads a meter in the trace of a caller and returns the spans of that trace by name. */
async function readOneMeter(): Promise<Map<string, OtlpSpan[]>> {
  const { meters, meterIds } = await bench.register('SPANS001', 1);
  server.dial('SPANS001', meters);
  const ordered = await fetch(`http://${server.base}/api/action/read/on-demand`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE_OF_CALLER}-${SPAN_OF_CALLER}-01`,
    },
    body: JSON.stringify({ meterIds, items: ['E_PLUS'] }),
  });
  expect(ordered.status).toBe(202);
  await vi.waitFor(
    () => expect(spans().some(({ name, traceId }) => name.startsWith('item ') && traceId === TRACE_OF_CALLER)).toBe(true),
    SOON,
  );
  return Map.groupBy(
    spans().filter(({ traceId }) => traceId === TRACE_OF_CALLER),
    ({ name }) => name,
  );
}

test('a trace leads from the call of a program over the work item and the DCU session to the exchanges with the meter', async () => {
  const byName = await readOneMeter();
  const [route] = byName.get('POST /api/action/read/on-demand') ?? [];
  const [item] = byName.get('item registers') ?? [];
  const sessions = byName.get('DCU session') ?? [];
  const exchanges = [...(byName.get('DLMS association') ?? []), ...(byName.get('DLMS exchange') ?? [])];
  expect(route).toMatchObject({ parentSpanId: SPAN_OF_CALLER });
  expect(attributeOf(route as OtlpSpan, 'http.response.status_code')).toBe(202);
  expect(item).toMatchObject({ parentSpanId: route?.spanId });
  expect(sessions.map(({ parentSpanId }) => parentSpanId)).toEqual([item?.spanId]);
  expect(exchanges.length).toBeGreaterThanOrEqual(2);
  for (const exchange of exchanges) {
    expect(exchange.parentSpanId).toBe(sessions[0]?.spanId);
    expect(Number(attributeOf(exchange, 'hes.round_trips'))).toBeGreaterThanOrEqual(1);
  }
  const [first] = received;
  expect([first?.path, first?.headers.authorization]).toEqual(['/v1/traces', 'Bearer of-the-test']);
  expect(attributeOf(first?.body.resourceSpans[0]?.resource as OtlpSpan, 'service.instance.id')).toBe('traced');
  // Ids only: no serial numbers, readings or names of users.
  expect(JSON.stringify(received.map(({ body }) => body))).not.toContain('SPANS001');
}, 60_000);

test('a refused call is a failed span with the code of the refusal', async () => {
  const refused = await server.call(user, 'GET', '/asset/meter/999999');
  expect(refused.status).toBe(404);
  await vi.waitFor(() => expect(spans().find((span) => attributeOf(span, 'error.type') === 'METER_NOT_FOUND')?.status.code).toBe(2), SOON);
}, 60_000);

test('without HES_OTLP_URL work runs without a span, and no order has a trace', async () => {
  await server.stop();
  const work = Promise.resolve(1);
  const start = vi.fn<() => never>();
  expect(inSpan('x', start, () => work)).toBe(work);
  expect(start).not.toHaveBeenCalled();
  expect(currentTraceparent()).toBeNull();
}, 60_000);
