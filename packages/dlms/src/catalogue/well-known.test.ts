import { describe, expect, it } from 'vitest';
import { obis } from '../cosem/obis.ts';
import { WELL_KNOWN, wellKnownKey } from './well-known.ts';

describe('well-known objects', () => {
  it('are found by class and name, each once', () => {
    for (const [key, { cosemClass, instance }] of Object.entries(WELL_KNOWN)) expect(wellKnownKey(cosemClass.id, instance)).toBe(key);
    expect(wellKnownKey(3, obis('9.9.9.9.9.9'))).toBeUndefined();
  });

  it('are labelled in both languages', () => {
    for (const { label } of Object.values(WELL_KNOWN)) {
      expect(label.en).toMatch(/^[\x20-\x7e−]+$/);
      expect(label.zh).toMatch(/[一-鿿]/);
    }
  });
});
