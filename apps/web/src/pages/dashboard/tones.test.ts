import { expect, test } from 'vitest';
import { toneOfDay, toneOfWorst } from './tones.ts';

const counts = Array.from({ length: 101 }, (_, got) => ({ got, expected: 100 }));

test('while history is being filled no rate is amber, orange or red', () => {
  for (const toneOf of [toneOfDay, toneOfWorst]) {
    expect(new Set(counts.map((count) => toneOf(count, true)))).toEqual(new Set(['run', 'ok']));
    expect(toneOf({ got: 10, expected: 100 }, false)).toBe('red');
  }
});
