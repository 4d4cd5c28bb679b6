import { describe, expect, it } from 'vitest';
import { encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { associationSn } from '../cosem/classes/association-sn.ts';
import { obis } from '../cosem/obis.ts';
import { COSEM_CLASSES } from './classes.ts';
import { assignShortNames, attributeName, classOf, memberOf, methodName, readShortNames, type ShortNamedObject } from './short-names.ts';

const named = (classId: number, version: number, baseName = 0x1000): ShortNamedObject => ({
  baseName,
  classId,
  version,
  instance: obis('1.0.1.8.0.255'),
});

/** First and last method of a class with their offsets, as gurux.dlms 4.0.47 for Java and jDLMS 1.8.0 agree on them. */
const METHODS: [says: string, classId: number, version: number, first: [id: number, at: number], last: [id: number, at: number]][] = [
  ['register', 3, 0, [1, 0x28], [1, 0x28]],
  ['extended register', 4, 0, [1, 0x38], [1, 0x38]],
  ['demand register', 5, 0, [1, 0x48], [2, 0x50]],
  ['register activation', 6, 0, [1, 0x30], [3, 0x40]],
  ['profile generic', 7, 1, [1, 0x58], [2, 0x60]],
  ['clock', 8, 0, [1, 0x60], [6, 0x88]],
  ['script table', 9, 0, [1, 0x20], [1, 0x20]],
  ['special days table', 11, 0, [1, 0x10], [2, 0x18]],
  ['association SN', 12, 2, [3, 0x30], [8, 0x58]],
  ['SAP assignment', 17, 0, [1, 0x20], [1, 0x20]],
  ['image transfer', 18, 0, [1, 0x40], [4, 0x58]],
  ['activity calendar', 20, 0, [1, 0x50], [1, 0x50]],
  ['push setup', 40, 0, [1, 0x38], [1, 0x38]],
  ['IPv4 setup', 42, 0, [1, 0x60], [3, 0x70]],
  ['security setup', 64, 0, [1, 0x28], [2, 0x30]],
  ['security setup with certificates', 64, 1, [1, 0x30], [8, 0x68]],
  ['disconnect control', 70, 0, [1, 0x20], [2, 0x28]],
  ['M-Bus client', 72, 0, [1, 0x60], [8, 0x98]],
  ['M-Bus client with key state', 72, 1, [1, 0x70], [8, 0xa8]],
];

describe('short names', () => {
  it.each(METHODS)('of the methods of %s', (_, classId, version, [firstId, firstAt], [lastId, lastAt]) => {
    const object = named(classId, version);
    expect([methodName(object, firstId), methodName(object, lastId)]).toEqual([0x1000 + firstAt, 0x1000 + lastAt]);
    expect(memberOf([object], 0x1000 + lastAt)).toEqual({ object, kind: 'method', id: lastId });
  });

  it('have no method among the attributes of a class', () => {
    for (const { methodsAt, attributes, methods, name } of COSEM_CLASSES.filter((one) => one.methodsAt !== undefined)) {
      const firstId = Math.min(...Object.values(methods).map(({ id }) => id));
      expect([name, (methodsAt ?? 0) + 8 * (firstId - 1) >= 8 * Object.keys(attributes).length]).toEqual([name, true]);
    }
  });

  it('of attributes follow each other by 8, from the base name on', () => {
    const object = named(8, 0, 0xfff0);
    expect([1, 2].map((id) => attributeName(object, id))).toEqual([0xfff0, 0xfff8]);
    expect([0, 3].map((id) => attributeName(object, id))).toEqual([undefined, undefined]);
    // A declared class has no attribute 10, and the name would be that of method 1 or of another object; an undeclared one may have it.
    expect([attributeName(named(8, 0), 10), attributeName(named(9999, 0), 10)]).toEqual([undefined, 0x1048]);
    expect([attributeName(named(40, 0), 10), attributeName(named(40, 0), 99)]).toEqual([0x1048, undefined]);
    expect(memberOf([object], 0xfff8)).toEqual({ object, kind: 'attribute', id: 2 });
  });

  it('name nothing between two members, after the last one, and of unknown classes', () => {
    const [clock, relay] = [named(8, 0, 0x2000), named(70, 0, 0x1000)];
    const names = [0x0fff, 0x1004, 0x1030, 0x2048, 0x2090];
    expect(names.map((name) => memberOf([clock, relay], name))).toEqual(names.map(() => undefined));
    expect(methodName(named(9999, 0), 1)).toBeUndefined();
    expect([0, 3].map((id) => methodName(named(70, 0), id))).toEqual([undefined, undefined]);
    expect(memberOf([named(9999, 0)], 0x1000)).toBeUndefined();
  });

  it('are found by class when a server lists version 0 for every object', () => {
    expect(methodName(named(7, 0), 2)).toBe(0x1060);
  });

  it('are read from an object list, also with names as long-unsigned', () => {
    const list = fromHex('01 02 0204 10FA00 12000C 1102 09060000280000FF ' + '0204 129000 120008 1100 09060000010000FF');
    expect(readShortNames(list)).toEqual([
      { baseName: 0xfa00, classId: 12, version: 2, instance: '0.0.40.0.0.255' },
      { baseName: 0x9000, classId: 8, version: 0, instance: '0.0.1.0.0.255' },
    ]);
    const objects = [named(8, 0, 0x8000), named(3, 0, 0x7ff8)];
    const octets = encode(associationSn.attributes.objectList.codec, objects);
    expect(toHex(octets)).toContain('108000');
    expect(readShortNames(octets)).toEqual(objects);
  });

  it('are assigned without overlap', () => {
    const objects = COSEM_CLASSES.map(({ id: classId, version }, i) => ({ classId, version, instance: obis(`0.0.1.0.${i}.255`) }));
    const assigned = assignShortNames(objects);
    for (const object of assigned.filter(({ classId }) => classId !== 12)) {
      const id = Object.keys(classOf(object)?.attributes ?? {}).length;
      expect(memberOf(assigned, attributeName(object, id) ?? 0)).toEqual({ object, kind: 'attribute', id });
      const method = methodName(object, 1);
      if (method !== undefined) expect(memberOf(assigned, method)).toEqual({ object, kind: 'method', id: 1 });
    }
    expect(() => assignShortNames(Array.from({ length: 4000 }, () => named(3, 0)))).toThrow(RangeError);
  });
});
