import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { PostCheck } from '@hes/contract/upgrade/record.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import type { DeviceLink } from '#field/link.ts';
import { readClock } from '#features/clock/port.ts';
import type { UpgradeWork } from './record-queries.ts';

/** A restart costs a clock a few seconds; a larger deviation points to a fault of the firmware. */
const CLOCK_LIMIT_MS = 5 * 60_000;

/** Whether the check got no response. The turn is then retried, because a timeout is no fault of the firmware. */
const isTimeout = (outcome: Outcome<unknown>): boolean =>
  !outcome.ok && ['METER_TIMEOUT', 'DCU_TIMEOUT', 'LINK_LOST', 'DCU_OFFLINE', 'METER_OFFLINE', 'NO_ROUTE'].includes(outcome.reason);

const checkOf = (key: PostCheck['key'], outcome: Outcome<unknown>, detail: string | null = null): PostCheck =>
  outcome.ok ? { key, result: 'pass', detail } : { key, result: 'fail', detail: outcome.reason };
const skippedCheck = (key: PostCheck['key']): PostCheck => ({ key, result: 'skipped', detail: null });

/** Reads the state of the relay; null for a device without one. */
export async function readRelayState(link: DeviceLink): Promise<Outcome<string | null>> {
  const read = await link.read(WELL_KNOWN.RELAY, 'controlState');
  return !read.ok && (read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED') ? ok(null) : read;
}

interface Session {
  link: DeviceLink;
  now(): number;
  deviationMinutes: number;
}

/** Checks values, clock, relay and profile of the updated device. Fails when one of them gets no response. */
export async function runPostChecks(session: Session, work: UpgradeWork): Promise<Outcome<PostCheck[]>> {
  const { link } = session;
  const isMeter = work.target === 'meter';
  const read = await link.get(isMeter ? attributeRef(WELL_KNOWN.E_PLUS, 'value') : attributeRef(WELL_KNOWN.LDN, 'value'));
  if (!read.ok && isTimeout(read)) return read;
  const clock = await readClock(session);
  if (!clock.ok && isTimeout(clock)) return clock;
  const deviationMs = clock.ok ? clock.value.deviationMs : null;
  const isRight = deviationMs !== null && Math.abs(deviationMs) <= CLOCK_LIMIT_MS;
  const checks = [
    checkOf('read', read),
    clock.ok && !isRight
      ? { key: 'clock' as const, result: 'fail' as const, detail: clock.value.deviceTime }
      : checkOf('clock', clock, deviationMs === null ? null : `${deviationMs} ms`),
  ];
  if (!isMeter) return { ok: true, value: [...checks, skippedCheck('relay'), skippedCheck('profile')] };
  const relay = await readRelayState(link);
  if (!relay.ok && isTimeout(relay)) return relay;
  const profile = await link.get(attributeRef(WELL_KNOWN.LPA, 'entriesInUse'));
  if (!profile.ok && isTimeout(profile)) return profile;
  checks.push(checkRelay(relay, work.relayBefore));
  checks.push(checkOf('profile', profile));
  return { ok: true, value: checks };
}

function checkRelay(now: Outcome<string | null>, before: string | null): PostCheck {
  if (!now.ok) return checkOf('relay', now);
  if (before === null) return skippedCheck('relay');
  return now.value === before
    ? { key: 'relay', result: 'pass', detail: before }
    : { key: 'relay', result: 'fail', detail: `${before} → ${now.value ?? '-'}` };
}
