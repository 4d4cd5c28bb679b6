import { describe, expect, test } from 'vitest';
import { MODULE_SUPPORT, opinionOf, vote } from './vote.ts';

const WEEK = 330;
const a = { phase: 'a', support: 0.99 } as const;
const b = { phase: 'b', support: 0.99 } as const;
const moduleSaysB = { phase: 'b', support: MODULE_SUPPORT } as const;

describe('a voltage', () => {
  test('that moves like one phase and not like the others speaks surely', () => {
    const said = opinionOf([0.1, 0.6, 0.15], WEEK);
    expect(said?.phase).toBe('b');
    expect(said?.support).toBeGreaterThan(0.98);
  });

  test('that moves like two phases alike says hardly anything', () => {
    expect(opinionOf([0.4, 0.41, 0.1], WEEK)?.support).toBeLessThan(0.6);
  });

  test('that moves like none of them is silent: it hangs elsewhere, or its clock is off', () => {
    expect(opinionOf([0.05, -0.02, 0.1], WEEK)).toBeNull();
    expect(opinionOf([null, null, null], 0)).toBeNull();
  });
});

describe('the vote', () => {
  test('is very sure when all witnesses agree', () => {
    expect(vote({ master: b, neighbours: b, module: moduleSaysB })).toMatchObject({ phase: 'b' });
    expect(vote({ master: b, neighbours: b, module: moduleSaysB })?.confidence).toBeGreaterThan(0.9);
  });

  test('is unsure when the module contradicts the voltages', () => {
    const verdict = vote({ master: a, neighbours: a, module: moduleSaysB });
    expect(verdict?.phase).toBe('a');
    expect(verdict?.confidence).toBeLessThan(0.8);
  });

  test('never takes one witness alone for very sure', () => {
    expect(vote({ master: a })?.confidence).toBeLessThan(0.9);
    expect(vote({ module: moduleSaysB })?.confidence).toBeLessThan(0.9);
  });

  test('is null without any source', () => {
    expect(vote({ master: null, neighbours: null, module: null })).toBeNull();
  });
});
