import { z } from 'zod';
import { lossRow } from '../analysis/loss.ts';
import { measured } from '../core/measured.ts';
import { day, id, idParams, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { anomalyType } from '../states/anomaly.ts';
import { dcuOnlineStatus } from '../states/device.ts';

/** A meter that is evidence for a part of the loss. */
const meterRef = { meterId: id, sn: z.string() };

/** Facts of the loss are null if the user has no right on the page of line losses. */
export const transformerFacts = z.object({
  at: instant,
  id,
  name: z.string(),
  code: z.string(),
  address: z.string().nullable(),
  levelName: z.string(),
  capacityKva: z.number().nullable(),
  master: z.object({ ...meterRef, lastReadAt: instant.nullable() }).nullable(),
  /** Active meters that the user may see, and those without communication for a day. */
  meters: z.number().int(),
  silent: z.number().int(),
  dcus: z.array(
    z.object({
      id,
      sn: z.string(),
      onlineStatus: dcuOnlineStatus,
      lastCommAt: instant.nullable(),
      meters: z.number().int(),
      silent: z.number().int(),
    }),
  ),
  from: day,
  to: day,
  loss: lossRow.nullable(),
  days: z
    .array(z.object({ day, supply: measured('kWh').nullable(), loss: measured('kWh').nullable(), lossPercent: z.number().nullable() }))
    .nullable(),
  /** Meters without a freeze at the end of a day of the range, most days first. */
  withoutData: z.array(z.object({ ...meterRef, days: z.number().int(), lastReadAt: instant.nullable() })).nullable(),
  suspects: z.array(z.object({ ...meterRef, day, type: anomalyType, value: measured('kWh'), reference: measured('kWh') })).nullable(),
  /** Devices without a record, or not in service. */
  unmetered: z.array(z.object({ sn: z.string(), dcuSn: z.string().nullable(), lastSeenAt: instant.nullable() })).nullable(),
});
export type TransformerFacts = z.infer<typeof transformerFacts>;

export const transformerStatus = {
  get: route({
    method: 'GET',
    path: '/status/transformer/{id}',
    summary: 'Stored facts about a transformer by which its status page explains its loss',
    allow: { page: PAGE_PATH.transformers, action: 'view' },
    params: idParams,
    response: transformerFacts,
    errors: ['NOT_FOUND'],
  }),
};
