import { FAULT_KINDS, type FaultKind } from '@hes/simulator/control/faults.ts';
import { requestIn } from '@hes/simulator/devices/authority.ts';
import { EVERY_SECURITY, securityOf, type MeterSecurity } from '@hes/simulator/devices/rules.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { readCertificateRequest } from '@hes/dlms/security/certificate-request.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthority, pem } from '../authority.ts';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { orderOf, type KnownMeter } from './simulated.ts';

/*
 * The simulated fleet with every authentication and suite, behind a plain gateway and as direct meters, against the head-end. Its meters verify the
 * signatures of the head-end, once the authority of the fleet has certified its key.
 */

/** A meter that is refused at first, because the head-end loads its own certificates every minute, is admitted at its next call. */
const ONLINE_WITHIN = { timeout: 100_000, interval: 200 };
/** Faults of the line and of the association, with the reasons of an item that meets them. */
const FAULTS = {
  silence: ['METER_TIMEOUT'],
  wrong_key: ['AUTH_FAILED', 'KEYS_MISSING'],
  garbage: ['BAD_ANSWER', 'AUTH_FAILED', 'METER_TIMEOUT'],
  exception: ['METER_TIMEOUT', 'ACCESS_DENIED', 'AUTH_FAILED', 'BAD_ANSWER', 'SERVICE_REFUSED'],
} as const satisfies Partial<Record<FaultKind, readonly string[]>>;

let bench: AppBench;
let admin: TestUser;
/** Signing requests of the head-end. */
const requests: Uint8Array[] = [];
let meters: (KnownMeter & { security: MeterSecurity; isDirect: boolean })[];

const call = async (method: 'GET' | 'POST', url: string, payload?: object | Buffer) => {
  const headers = Buffer.isBuffer(payload) ? { 'content-type': 'application/octet-stream' } : {};
  const answer = await bench.app.call(admin, { method, url: `/api${url}`, headers, ...(payload === undefined ? {} : { payload }) });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer;
};
const importFile = async (pem: string) => {
  const answer = await call('POST', '/asset/certificate/file?name=fleet.pem', Buffer.from(pem));
  expect(answer.json(), answer.body).toMatchObject({ errors: 0 });
};

beforeAll(async () => {
  const each = EVERY_SECURITY.length;
  bench = await appBench({
    scale: { dcus: 1, metersPerDcu: each },
    directMeters: { count: each },
    authentication: 'every',
    dcuModel: { isPlainGateway: true },
    timeoutLimits: { longestMs: 1000 },
  });
  await bench.app.ctx.pool.query("update meter_type set allowed_addresses = '{127.0.0.1}'");
  // Without a certificate a signing meter is admitted by its address. With one it must prove itself, which it cannot before the authority signs.
  await untilOnline();
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  const { simulation } = bench;
  for (const suite of [1, 2] as const) {
    const made = (await call('POST', '/asset/certificate/key-pair', { usage: 'digital_signature', suite })).json();
    const request = requestIn((await call('GET', `/asset/certificate/${made.id}/request`)).body);
    requests.push(request);
    // The utility has an authority of its own, which the head-end trusts and the meters do not know.
    const utility = createAuthority(`Utility CA ${suite}`, suite);
    const { publicKey } = readCertificateRequest(nodeCipher, request);
    await importFile(pem(utility.certificate) + pem(utility.issue({ subject: made.subject, publicKey })));
  }
  // After the certificates of the head-end: those of a device load it again with all of them.
  await importFile(simulation.certificates());
  const { rows } = await bench.app.ctx.pool.query<{ id: string; sn: string; dcuId: string }>(
    'select id, sn, dcu_id as "dcuId" from meter order by sn',
  );
  meters = rows.flatMap(({ id, sn, dcuId }) => {
    const plan = simulation.world.meterBySn.get(sn);
    if (plan === undefined || plan.kind === 'master') return [];
    return [{ plan, id, dcuId, security: securityOf(plan, 'every'), isDirect: plan.isDirect === true }];
  });
  await untilOnline();
}, 120_000);
afterAll(() => bench.close());

const untilOnline = () =>
  vi.waitFor(async () => {
    const { rows: offline } = await bench.app.ctx.pool.query("select sn from endpoint where online_status <> 'online'");
    expect(offline).toEqual([]);
  }, ONLINE_WITHIN);

const registers = (of: readonly KnownMeter[]) =>
  orderOf(bench, of, { kind: 'registers', params: { items: ['E_PLUS'], store: true, askAnyway: false } });

test('the commissioning file registers the gateway as one that only forwards', async () => {
  const { rows } = await bench.app.ctx.pool.query(
    'select p.key from dcu d join dcu_type t on t.id = d.dcu_type_id join southbound_profile p on p.id = t.profile_id',
  );
  expect(rows).toEqual([{ key: 'hes-gateway' }]);
});

test('the fleet has every mechanism and suite, direct and behind the gateway', () => {
  for (const isDirect of [false, true])
    for (const security of EVERY_SECURITY)
      expect(
        meters.some((meter) => meter.isDirect === isDirect && meter.security === security),
        JSON.stringify({ isDirect, security }),
      ).toBe(true);
  expect(FAULT_KINDS).toEqual(expect.arrayContaining(Object.keys(FAULTS)));
});

test('meters refuse signatures of a head-end until the authority of the fleet has certified its key', async () => {
  const signing = meters.filter(({ security }) => security.authentication === 'hls_ecdsa');
  expect((await registers(signing)).map(({ reason }) => reason)).toEqual(signing.map(() => 'AUTH_FAILED'));
  for (const request of requests) bench.simulation.authority.certify(request);
});

test('every meter is read with its own authentication and suite', async () => {
  const items = await registers(meters);
  expect(items.map(({ state, reason }, at) => ({ ...meters[at]?.security, state, reason }))).toEqual(
    meters.map(({ security }) => ({ ...security, state: 'read_success', reason: null })),
  );
}, 60_000);

describe.each(['hls_gmac', 'hls_ecdsa'] as const)('meters of suite 2 with %s', (authentication) => {
  test.each(Object.keys(FAULTS) as (keyof typeof FAULTS)[])(
    'end with the reason of the fault %s, and recover',
    async (kind) => {
      const struck = meters.filter(({ security }) => security.suite === 2 && security.authentication === authentication);
      for (const { plan } of struck) bench.simulation.faults.add({ target: plan.sn, kind });
      const items = await registers(struck);
      for (const { plan } of struck) bench.simulation.faults.clear(plan.sn, kind);
      for (const { state, reason } of items) {
        expect(state).toBe('read_fail');
        expect(FAULTS[kind]).toContain(reason);
      }
      expect((await registers(struck)).map(({ state }) => state)).toEqual(struck.map(() => 'read_success'));
    },
    60_000,
  );
});

test.each(['cut', 'cut_after'] as const)(
  'work on lines with the fault %s ends with its reason, and every meter is read again on the next connection',
  async (kind) => {
    const lines = new Set(meters.map(({ plan, isDirect }) => (isDirect ? plan.sn : plan.dcu.sn)));
    for (const target of lines) bench.simulation.faults.add({ target, kind });
    const items = await registers(meters);
    bench.simulation.faults.clear(undefined, kind);
    const failed = items.filter(({ state }) => state !== 'read_success');
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed)
      expect(['LINK_LOST', 'METER_OFFLINE', 'DCU_OFFLINE', 'METER_TIMEOUT', 'DCU_TIMEOUT']).toContain(reason);
    await untilOnline();
    expect((await registers(meters)).map(({ state }) => state)).toEqual(meters.map(() => 'read_success'));
  },
  90_000,
);
