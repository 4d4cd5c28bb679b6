import { STATUS_DAYS, type MeterFacts } from '@hes/contract/status/meter-status.ts';
import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import type { Context, User } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { clockFacts } from './clock-facts.ts';
import { findLoss, listAnomaliesOf, listAttempts, listEventsOf, listGapsOf, listTimeline } from './history-queries.ts';
import { findLine, findRecord } from './meter-queries.ts';
import { sightOf } from './sight-queries.ts';
import { findNetwork } from './route-queries.ts';

const DAY_MS = 86_400_000;

/** Stored facts about a meter in the user's area. Parts beyond the user's rights are null. */
export async function meterFactsOf(ctx: Context, user: User, id: string): Promise<MeterFacts> {
  const { db } = ctx;
  const record = await findRecord(db, user, id);
  if (record === undefined) throw new ApiError('METER_NOT_FOUND', { id });
  const { dcuId, ...meter } = record;
  const now = ctx.clock.now();
  const since = new Date(now - STATUS_DAYS * DAY_MS);
  const today = new Zone(ctx.settings.timeZone).dayOf(now);
  const days = { from: dayText(today - STATUS_DAYS), to: dayText(today - 1) };
  const [{ pages, kinds }, line] = await Promise.all([
    sightOf(db, user, meter.transformer?.id ?? null),
    dcuId === null ? null : findLine(db, user, dcuId),
  ]);
  // A DCU outside of the area is not named, and neither are its stations and connections.
  const asked = { meterId: id, dcuId: line?.id ?? null, since };
  const shown = {
    events: pages.has('events'),
    relays: pages.has('relays'),
    topology: pages.has('topology'),
    clocks: pages.has('clocks'),
    dcus: pages.has('dcus'),
  };
  const hasNetwork = shown.topology && line !== null && meter.communicationMode !== 'direct';
  const [attempts, network, clock, events, gaps, loss, anomalies, timeline] = await Promise.all([
    pages.has('readings') ? listAttempts(db, { ...asked, dcuId }, kinds) : null,
    hasNetwork ? findNetwork(db, line.id, meter.sn) : null,
    shown.clocks ? clockFacts(db, 'meter', id) : null,
    shown.events ? listEventsOf(db, id, since) : null,
    pages.has('readings') ? listGapsOf(db, id, since) : null,
    pages.has('bills') && meter.transformer !== null ? findLoss(db, meter.transformer.id, days) : null,
    pages.has('bills') ? listAnomaliesOf(db, id, days) : null,
    listTimeline(db, asked, meter.sn, shown),
  ]);
  return { at: new Date(now).toISOString(), ...meter, line, attempts, network, clock, events, gaps, loss, anomalies, timeline };
}
