import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { associationLn, associationLnV3 } from '../cosem/classes/association-ln.ts';
import { register } from '../cosem/classes/register.ts';
import { obis } from '../cosem/obis.ts';
import { objectListing, typedObjectList } from './object-list.ts';

const CURRENT = obis('0.0.40.0.0.255');
const ENERGY = obis('1.0.1.8.0.255');

function kindOf(octets: Uint8Array): string {
  try {
    typedObjectList(octets);
    return 'list';
  } catch (error) {
    return error instanceof DecodeError ? 'DecodeError' : String(error);
  }
}

describe('typedObjectList', () => {
  it('names the rights of a client, by modes', () => {
    const octets = encode(associationLn.attributes.objectList.codec, [
      {
        classId: 3,
        version: 0,
        instance: ENERGY,
        accessRights: {
          attributes: [
            { attributeId: 2, accessMode: 'readOnly', accessSelectors: null },
            { attributeId: 3, accessMode: 'authenticatedReadAndWrite', accessSelectors: [1, 2] },
          ],
          methods: [{ methodId: 1, accessMode: 'authenticatedAccess' }],
        },
      },
      { classId: 15, version: 1, instance: CURRENT, accessRights: { attributes: [], methods: [] } },
    ]);
    const [energy, association] = typedObjectList(octets);
    expect(energy).toMatchObject({
      classId: 3,
      instance: ENERGY,
      cosemClass: register,
      attributes: [
        { id: 2, name: 'value', rights: { read: true, write: false, authenticatedRequest: false }, selectors: [] },
        { id: 3, name: 'scalerUnit', rights: { read: true, write: true, authenticatedRequest: true }, selectors: [1, 2] },
      ],
      methods: [{ id: 1, name: 'reset', rights: { execute: true, authenticatedRequest: true } }],
    });
    expect(association?.cosemClass).toBe(associationLn);
  });

  it('reads bits where the association in the list is of version 3', () => {
    const octets = encode(associationLnV3.attributes.objectList.codec, [
      {
        classId: 3,
        version: 0,
        instance: ENERGY,
        accessRights: {
          attributes: [{ attributeId: 2, accessMode: 0x6f, accessSelectors: null }],
          methods: [{ methodId: 1, accessMode: 0x05 }],
        },
      },
      { classId: 15, version: 3, instance: CURRENT, accessRights: { attributes: [], methods: [] } },
    ]);
    const [energy] = typedObjectList(octets);
    expect(energy?.attributes[0]?.rights).toMatchObject({
      read: true,
      write: true,
      authenticatedRequest: true,
      encryptedRequest: true,
      signedRequest: false,
      authenticatedResponse: true,
      encryptedResponse: true,
      signedResponse: false,
    });
    expect(energy?.methods[0]?.rights).toMatchObject({ execute: true, authenticatedRequest: true, encryptedRequest: false });
    expect(typedObjectList(octets, 1)[0]?.attributes[0]?.rights).toMatchObject({ read: false, write: false });
  });

  it('keeps objects of classes that are not declared, manufacturer attributes and modes of booleans', () => {
    const octets = fromHex(`0101 0204 122000 1107 09060000608200FF 0202
      0101 0203 0FFF 1601 00
      0101 0202 0F01 0301`);
    expect(typedObjectList(octets)).toMatchObject([
      {
        classId: 0x2000,
        version: 7,
        cosemClass: undefined,
        attributes: [{ id: -1, name: undefined, rights: { read: true } }],
        methods: [{ id: 1, rights: { execute: true } }],
      },
    ]);
    expect(typedObjectList(fromHex('0100'))).toEqual([]);
  });

  it('is read as far as it goes where a device announces more objects than it lists', () => {
    const entry = '0204 120003 1100 09060100010800FF 0202 0101 0203 0F02 1601 00 0100';
    const short = fromHex(`0103 ${entry} ${entry}`);
    const { objects, announced } = objectListing(short);
    expect(announced).toBe(3);
    expect(objects.map(({ instance }) => instance)).toEqual([ENERGY, ENERGY]);
    expect(() => typedObjectList(short)).toThrow('TRUNCATED in 2 @ ');
    expect(() => objectListing(short.subarray(0, -1))).toThrow(DecodeError);
    expect(() => objectListing(Uint8Array.of(...short, 0))).toThrow(DecodeError);
  });

  it('raises only DecodeError on a damaged list', () => {
    const octets = fromHex('0101 0204 120003 1100 09060100010800FF 0202 0101 0203 0F02 1601 0101 0F01 0101 0202 0F01 1601');
    fc.assert(
      fc.property(fc.nat({ max: octets.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        expect(kindOf(octets.map((octet, i) => (i === at ? octet ^ flip : octet)))).toMatch(/^(?:list|DecodeError)$/);
        expect(() => typedObjectList(octets.subarray(0, at))).toThrow(DecodeError);
      }),
    );
  });
});
