import { expect, test } from 'vitest';
import { FLOOD_GATES, floodBench } from './flood.ts';

test('unauthenticated frames reach neither the console nor the database; `npm run bench -- flood` is the long form', async () => {
  const figures = await floodBench({ frames: 20_000, lines: 10 });
  for (const [name, gate] of Object.entries(FLOOD_GATES)) expect(figures[name as keyof typeof FLOOD_GATES], name).toBeLessThanOrEqual(gate); // as: keys of that very table
  expect(figures).toMatchObject({ receipts: 0, tasks: 0 });
}, 120_000);
