import { expect, it } from 'vitest';
import { besideLibrary } from './library.ts';

const firmware = (version: string, supplierName: string) => ({ firmwareId: version, version, supplierCode: 'X', supplierName });

it('a module is compared only with the newest firmware of the same vendor', () => {
  const library = [firmware('2.4.1', 'Lanwave'), firmware('2.5.0', 'lanwave'), firmware('9.0.0', 'Other')];
  expect(besideLibrary({ vendor: 'Lanwave', swVersion: '2.4.1' }, library)).toEqual({
    firmwareId: '2.5.0',
    version: '2.5.0',
    verdict: 'older',
  });
  expect(besideLibrary({ vendor: 'Lanwave', swVersion: '2.5.0' }, library)?.verdict).toBe('current');
  expect(besideLibrary({ vendor: 'Tidecom', swVersion: '1.0.0' }, library)).toBeNull();
});
