import { expect, test } from 'vitest';
import { z } from 'zod';
import { measured, numberFields, unitsOf } from './core/measured.ts';
import type { Route } from './core/route.ts';
import { everyRoute } from './every-route.ts';

/** Words in field names that denote measured quantities. */
const QUANTITY =
  /energy|power|voltage|current(?!$)|demand|load|kwh|^kw$|duration|latency|elapsed|interval|period|deviation|offset|timeout|delay|amount|price|size|rate$|availability|share|percent|supply|sold|loss|^missing$|^plus|^minus|^ePlus|^eMinus|^[ui]\d$|^[ps]Avg|opening|closing|neutral|reference|today|yesterday|capacity|uptime|heartbeat|process$|^rate|roundTrip|signalValue|noise|^current$|^before$|watch|retryInterval|spread/i;
/** `capacityKva`, `latencyMs`, `lossPercent`, `retryIntervalMinutes`. */
const UNIT_IN_NAME =
  /[a-z\d](?:Kwh|Wh|Kw|W|Kva|V|A|Hz|Ms|S|Sec|Seconds|Min|Minutes|Hours?|Days?|Months|Years|Percent|Pct|Dbm?|Bytes|Octets|Factor)$|^(?:kwh?|seconds|hours|days|percent|octets|bytes)$/;
const UNIT_BESIDE = /^(?:unit|signalUnit|currency)$/;
/** Numbers whose names resemble quantities, each with what it counts or where its unit is. */
const COUNTS: Record<string, string> = {
  missing: 'slots or meters that are missing; energies of this name are measured',
  size: 'rows of a page, or devices of a ring with the sibling field `unit`',
  timeout: 'milliseconds, by the name that WebAuthn gives it',
  processed: 'items',
  periods: 'items',
  noise: 'dBµV, the unit of the bands of the modem',
  spread: 'items',
  rates: 'shares of expected captures that arrived, from 0 to 1',
};

const routes = Object.values(everyRoute)
  .flatMap((group): Route[] => Object.values(group))
  .filter((route) => route.answer !== 'file' && !(route.response instanceof z.ZodUndefined));

test('every measured number in a response has its unit in its name, in a sibling field, or in the units of the response', () => {
  const nameless = routes.flatMap((route) =>
    numberFields(route.response)
      .filter(({ name, unit, beside }) => {
        const isKnown = unit !== undefined || UNIT_IN_NAME.test(name) || beside.some((other) => UNIT_BESIDE.test(other)) || name in COUNTS;
        return QUANTITY.test(name) && !isKnown;
      })
      .map(({ path }) => `${route.method} ${route.path}: ${path}`),
  );
  expect(nameless).toEqual([]);
});

test('a field name has one unit in a response', () => {
  const ambiguous = routes.flatMap((route) => {
    const units = Map.groupBy(
      numberFields(route.response).filter(({ unit }) => unit !== undefined),
      ({ name }) => name,
    );
    return [...units].filter(([, fields]) => new Set(fields.map(({ unit }) => unit)).size > 1).map(([name]) => `${route.path}: ${name}`);
  });
  expect(ambiguous).toEqual([]);
});

test('units are found in rows, nullable fields, tuples and lists', () => {
  const answer = z.object({
    items: z.array(
      z.object({ plus: measured('kWh').nullable(), current: z.tuple([measured('A'), measured('A')]), meters: z.number().int() }),
    ),
    load: z.object({ today: z.array(measured('kW').nullable()) }),
  });
  expect(unitsOf(answer)).toEqual({ plus: 'kWh', current: 'A', today: 'kW' });
});
