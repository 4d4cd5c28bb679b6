import { describe, expect, it } from 'vitest';
import { apduCodec } from '../xdlms/apdu.ts';
import { annotate, type AnnotatedNode } from './annotate.ts';
import { fromHex } from './hex.ts';

const lines = (nodes: AnnotatedNode[], depth = 0): string[] =>
  nodes.flatMap(({ name, offset, length, value, children }) => [
    `${' '.repeat(depth)}${name} ${offset}+${length}${value === undefined ? '' : ` ${value}`}`,
    ...lines(children, depth + 1),
  ]);

describe('annotate', () => {
  it('reports position and value of every field of a reading', () => {
    const { nodes, error } = annotate(apduCodec, fromHex('C401C1000202060000139116 1E'));
    expect(error).toBeUndefined();
    expect(lines(nodes)).toEqual([
      'getResponse 0+13',
      ' normal 2+11',
      '  invoke 2+1 id=1 confirmed=true highPriority=true',
      '  result 3+10',
      '   data 4+9',
      '    value 4+9 structure 2 items',
      '     0 6+5 doubleLongUnsigned 5009',
      '     1 11+2 enum 30',
    ]);
  });

  it('reports the fields decoded before an error, and its position', () => {
    const { nodes, error, value } = annotate(apduCodec, fromHex('C001C10003010001'));
    expect(value).toBeUndefined();
    expect(error?.message).toBe('TRUNCATED in getRequest.normal.attribute.instance @ 5');
    expect(lines(nodes)).toEqual([
      'getRequest 0+8',
      ' normal 2+6',
      '  invoke 2+1 id=1 confirmed=true highPriority=true',
      '  attribute 3+5',
      '   classId 3+2 3',
      '   instance 5+3',
    ]);
  });

  it('decodes the user information of an association request', () => {
    const { nodes } = annotate(apduCodec, fromHex('601DA109060760857405080101BE10040E01000000065F1F0400007E1F04B0'));
    expect(lines(nodes).filter((line) => /applicationContext|dlmsVersion|maxPduSize/.test(line))).toEqual([
      ' applicationContext 2+11 ln',
      '   dlmsVersion 21+1 6',
      '   maxPduSize 29+2 1200',
    ]);
  });
});
