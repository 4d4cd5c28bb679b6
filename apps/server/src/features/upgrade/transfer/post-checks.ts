import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { PostCheck } from '@hes/contract/upgrade/record.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import type { DeviceLink } from '#field/link.ts';
import { readClock } from '#features/clock/port.ts';
import type { UpgradeWork } from './record.ts';

/** After a restart a clock may have lost seconds; more than this, and something is wrong with the firmware. */
const CLOCK_LIMIT_MS = 5 * 60_000;
const ENTRIES_IN_USE = 7;
const VALUE = 2;

const refOf = (key: WellKnownKey, attributeId: number) => ({
  classId: WELL_KNOWN[key].cosemClass.id,
  instance: WELL_KNOWN[key].instance,
  attributeId,
});

/** A device that says nothing is not judged: it is asked again. An object it does not have is no fault of the firmware when it had none before. */
const isSilence = (outcome: Outcome<unknown>): boolean =>
  !outcome.ok && ['METER_TIMEOUT', 'DCU_TIMEOUT', 'LINK_LOST', 'DCU_OFFLINE', 'NO_ROUTE'].includes(outcome.reason);

const judged = (key: PostCheck['key'], outcome: Outcome<unknown>, detail: string | null = null): PostCheck =>
  outcome.ok ? { key, result: 'pass', detail } : { key, result: 'fail', detail: outcome.reason };
const skipped = (key: PostCheck['key']): PostCheck => ({ key, result: 'skipped', detail: null });

/** The state of the relay; null where there is none. */
export async function relayState(link: DeviceLink): Promise<Outcome<string | null>> {
  const { controlState } = disconnectControl.attributes;
  const read = await link.get(refOf('RELAY', controlState.id));
  if (!read.ok) return read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED' ? { ok: true, value: null } : read;
  try {
    return { ok: true, value: decode(controlState.codec, read.value) };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, reason: 'BAD_ANSWER', detail: error.message };
    throw error;
  }
}

interface Session {
  link: DeviceLink;
  now(): number;
  deviationMinutes: number;
}

/** Whether the device still does its work: values, clock, relay, profile. Silence in between is handed up. */
export async function postChecks(session: Session, work: UpgradeWork): Promise<Outcome<PostCheck[]>> {
  const { link } = session;
  const isMeter = work.target === 'meter';
  const read = await link.get(isMeter ? refOf('E_PLUS', VALUE) : refOf('LDN', VALUE));
  if (!read.ok && isSilence(read)) return read;
  const clock = await readClock(session);
  if (!clock.ok && isSilence(clock)) return clock;
  const deviationMs = clock.ok ? clock.value.deviationMs : null;
  const isRight = deviationMs !== null && Math.abs(deviationMs) <= CLOCK_LIMIT_MS;
  const checks = [
    judged('read', read),
    clock.ok && !isRight
      ? { key: 'clock' as const, result: 'fail' as const, detail: clock.value.deviceTime }
      : judged('clock', clock, deviationMs === null ? null : `${deviationMs} ms`),
  ];
  if (!isMeter) return { ok: true, value: [...checks, skipped('relay'), skipped('profile')] };
  const relay = await relayState(link);
  if (!relay.ok && isSilence(relay)) return relay;
  const profile = await link.get(refOf('LPA', ENTRIES_IN_USE));
  if (!profile.ok && isSilence(profile)) return profile;
  checks.push(relayCheck(relay, work.relayBefore));
  checks.push(judged('profile', profile));
  return { ok: true, value: checks };
}

function relayCheck(now: Outcome<string | null>, before: string | null): PostCheck {
  if (!now.ok) return judged('relay', now);
  if (before === null) return skipped('relay');
  return now.value === before
    ? { key: 'relay', result: 'pass', detail: before }
    : { key: 'relay', result: 'fail', detail: `${before} → ${now.value ?? '-'}` };
}
