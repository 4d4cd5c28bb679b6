import { DCU_PARTS, DCU_PART_NAMES } from '@hes/contract/asset/dcu-part.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { expect, test } from 'vitest';
import { mergeBodies, partsOfBody, SOUTHBOUND_PROFILES, type SouthboundBody } from '#db/seed/southbound-profiles.ts';
import type { DeviceLink } from '#field/link.ts';
import { dlmsParts } from './dlms-parts.ts';

const reference = SOUTHBOUND_PROFILES.find(({ key }) => key === 'hes-dcu-1')?.body ?? { objects: {}, quirks: {} };
const link = {} as DeviceLink; // as: no member is called
const membersOf = (line: Partial<SouthboundBody>[]) =>
  Object.keys(dlmsParts({ link, dcuId: '1', now: 0, zone: new Zone('Asia/Shanghai') }, mergeBodies(line)));

test('the reference DCU has a member for every part, a cache and a modem', () => {
  expect(new Set(membersOf([reference]))).toEqual(new Set([...DCU_PART_NAMES, 'cache', 'signal']));
});

test('a profile without objects has the parameters of the reference and nothing else', () => {
  expect(membersOf([{}])).toEqual(['parameters']);
  expect(membersOf([{ parameters: 'none' }])).toEqual([]);
});

test.each(DCU_PART_NAMES)('without an object of %s, exactly the members remain that the contract names', (part) => {
  for (const key of DCU_PARTS[part].objects) {
    const line = [{ objects: { [key]: null } }, reference];
    const parts = partsOfBody(mergeBodies(line));
    expect(parts).not.toContain(part);
    expect(membersOf(line)).toEqual([...parts, 'cache', 'signal']);
  }
});
