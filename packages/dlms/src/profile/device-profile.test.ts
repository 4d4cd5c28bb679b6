import { describe, expect, it } from 'vitest';
import { ProfileError, resolveProfile, type DeviceProfile, type ProfileObject } from './device-profile.ts';
import { REFERENCE_DCU } from './reference-dcu.ts';
import { REFERENCE_METERS } from './reference-meters.ts';
import { validateProfiles, type ComplaintCode } from './validate-profiles.ts';

const energy: ProfileObject = { classId: 3, obis: '1.0.1.8.0.255', attribute: 2, unit: 30 };
const clock: ProfileObject = { classId: 8, obis: '0.0.1.0.0.255', attribute: 2 };
const meter = (key: string, objects: Record<string, ProfileObject | null>, parent?: string): DeviceProfile => ({
  key,
  name: key,
  deviceKind: 'meter',
  body: { objects, quirks: { from: key }, ...(parent === undefined ? {} : { extends: parent }) },
});

describe('resolveProfile', () => {
  it('merges inherited, changed and removed objects', () => {
    const profiles = [
      meter('a', { E: energy, CLOCK: clock }),
      meter('b', { E: { ...energy, obis: '1.1.1.8.0.255' } }, 'a'),
      meter('c', { CLOCK: null }, 'b'),
    ];
    const resolved = resolveProfile('c', profiles);
    expect([...resolved.objects]).toEqual([['E', { ...energy, obis: '1.1.1.8.0.255' }]]);
    expect(resolved).toMatchObject({ lineage: ['a', 'b', 'c'], quirks: { from: 'c' }, deviceKind: 'meter' });
  });

  it('names circular and unknown parents in its error', () => {
    const circle = [meter('a', {}, 'b'), meter('b', {}, 'a')];
    expect(() => resolveProfile('a', circle)).toThrow(new ProfileError('CIRCLE', ['a', 'b', 'a']));
    expect(() => resolveProfile('x', circle)).toThrow(new ProfileError('UNKNOWN_PROFILE', ['x']));
    expect(() => resolveProfile('c', [meter('c', {}, 'gone')])).toThrow('UNKNOWN_PROFILE c → gone');
  });
});

describe('validateProfiles', () => {
  const codesOf = (...profiles: DeviceProfile[]): ComplaintCode[] => validateProfiles(profiles).map(({ code }) => code);

  it('finds nothing wrong with the reference devices', () => {
    expect(validateProfiles([REFERENCE_DCU, ...REFERENCE_METERS])).toEqual([]);
  });

  it('checks attributes against the given version', () => {
    const setup = (version: number, attribute: number) =>
      codesOf(meter('a', { SETUP: { classId: 64, version, obis: '0.0.43.0.0.255', attribute } }));
    expect(setup(1, 6)).toEqual([]);
    expect(setup(0, 6)).toEqual(['UNKNOWN_ATTRIBUTE']);
  });

  const CASES: [complaint: ComplaintCode, object: ProfileObject][] = [
    ['MALFORMED_OBIS', { ...energy, obis: '0.0.43.0.0255' }],
    ['MALFORMED_OBIS', { ...energy, obis: '1.0.1.8.0.256' }],
    ['MALFORMED_OBIS', { ...energy, obis: '1.0.01.8.0.255' }],
    ['UNKNOWN_CLASS', { ...energy, classId: 9999 }],
    ['UNKNOWN_ATTRIBUTE', { ...energy, attribute: 9 }],
    ['NO_UNIT', { classId: 3, obis: '1.0.1.8.0.255', attribute: 2 }],
    ['UNKNOWN_UNIT', { ...energy, unit: 200 }],
    ['UNKNOWN_CAPTURE', { ...clock, captures: [] }],
    ['UNKNOWN_CAPTURE', { classId: 7, version: 1, obis: '1.0.99.1.0.255', attribute: 2, captures: ['CLOCK'] }],
  ];
  for (const [complaint, object] of CASES) {
    it(`complains ${complaint} about ${JSON.stringify(object)}`, () => {
      expect(codesOf(meter('a', { X: object }))).toEqual([complaint]);
    });
  }

  it('complains about the set as a whole', () => {
    expect(codesOf(meter('a', {}), meter('a', {}))).toEqual(['DUPLICATE_KEY']);
    expect(codesOf(meter('a', {}, 'gone'))).toEqual(['UNKNOWN_PROFILE']);
    expect(codesOf(meter('a', {}, 'a'))).toEqual(['CIRCLE']);
    expect(codesOf(meter('a', { X: null }))).toEqual(['REMOVES_NOTHING']);
    expect(codesOf(meter('a', { X: energy, Y: energy }))).toEqual(['DUPLICATE_PLACE']);
    expect(codesOf(meter('a', { E: energy }), { ...meter('b', {}, 'a'), deviceKind: 'dcu' })).toEqual(['OTHER_KIND']);
  });

  it('reports an inherited fault once, at the ancestor, and a column that a descendant removed', () => {
    const bad = meter('a', { X: { ...energy, obis: 'x' } });
    expect(validateProfiles([bad, meter('b', {}, 'a')]).map(({ profile, object }) => [profile, object])).toEqual([['a', 'X']]);
    const log: ProfileObject = { classId: 7, version: 1, obis: '1.0.99.1.0.255', attribute: 2, captures: ['CLOCK'] };
    expect(validateProfiles([meter('a', { CLOCK: clock, LOG: log }), meter('b', { CLOCK: null }, 'a')])).toMatchObject([
      { code: 'UNKNOWN_CAPTURE', profile: 'b', object: 'LOG' },
    ]);
  });
});
