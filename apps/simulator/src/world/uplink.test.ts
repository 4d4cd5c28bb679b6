import { dbmOf } from '@hes/dlms/cosem/classes/gsm-diagnostic.ts';
import { describe, expect, test } from 'vitest';
import { hasModem, uplinkAt } from './uplink.ts';
import { createWorld } from './world.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 7, 8);
const HOUR_MS = 3_600_000;
const SEED = 1;
const { dcus } = createWorld(SEED, 'utility').plan;
const withModem = dcus.filter(hasModem);
const dbm = (dcu: (typeof dcus)[number], at = NOW) => dbmOf(uplinkAt(SEED, dcu, at).signalQuality) ?? Number.NaN;

describe('the uplinks of a utility', () => {
  test('are mobile for most DCUs, and wired for those that are dialled', () => {
    expect(withModem.length).toBeGreaterThan(dcus.length / 2);
    expect(dcus.filter((dcu) => dcu.connectionType === 'dial_out').some(hasModem)).toBe(false);
  });

  test('are strong at most places and weak at a few, where the modem falls back to EDGE and counts bit errors', () => {
    const weak = withModem.filter((dcu) => dbm(dcu) < -95);
    expect(weak.length).toBeGreaterThan(0);
    expect(weak.length).toBeLessThan(withModem.length / 3);
    for (const dcu of withModem) {
      const { service, bitErrorRate } = uplinkAt(SEED, dcu, NOW);
      if (service === 'edge') expect([dbm(dcu) < -95, bitErrorRate < 8]).toEqual([true, true]);
      else expect(bitErrorRate).toBe(99);
    }
  });

  test('vary by some dB within a day and are deterministic for one moment', () => {
    for (const dcu of withModem) {
      const day = Array.from({ length: 24 }, (_, hour) => dbm(dcu, NOW - hour * HOUR_MS));
      expect(Math.max(...day) - Math.min(...day)).toBeGreaterThan(0);
      expect(Math.max(...day) - Math.min(...day)).toBeLessThanOrEqual(8);
      expect(uplinkAt(SEED, dcu, NOW)).toEqual(uplinkAt(SEED, dcu, NOW));
    }
  });

  test('of one place use one base station, each in one of its sectors', () => {
    for (const [, near] of Map.groupBy(withModem, (dcu) => dcu.transformer.level.code)) {
      const uplinks = near.map((dcu) => uplinkAt(SEED, dcu, NOW));
      expect(new Set(uplinks.map((one) => `${one.operator} ${one.locationId} ${one.cellId >> 4}`)).size).toBe(1);
      for (const one of uplinks) expect(one.neighbours.map(({ cellId }) => cellId)).not.toContain(one.cellId);
    }
  });
});
