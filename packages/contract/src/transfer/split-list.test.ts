import { expect, test } from 'vitest';
import { EndlessLine, splitList, type ListPart } from './split-list.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function partsOf(text: string, linesPerPart: number, size = 7): Promise<ListPart[]> {
  const parts: ListPart[] = [];
  for await (const part of splitList(pieces(text, size), linesPerPart)) parts.push(part);
  return parts;
}

test('a list is split into parts, each with the header and the number of its first line', async () => {
  expect(await partsOf('sn,name\n1,a\n2,b\n3,c\n', 2)).toEqual([
    { text: 'sn,name\n1,a\n2,b', firstLine: 2 },
    { text: 'sn,name\n3,c', firstLine: 4 },
  ]);
});

test('a line break within quotation marks does not end a line, regardless of chunk boundaries', async () => {
  const text = 'sn,name\n1,"a\nb ""c"""\n2,b\n3,c';
  for (let size = 1; size < 12; size++)
    expect(await partsOf(text, 1, size)).toEqual([
      { text: 'sn,name\n1,"a\nb ""c"""', firstLine: 2 },
      { text: 'sn,name\n2,b', firstLine: 4 },
      { text: 'sn,name\n3,c', firstLine: 5 },
    ]);
});

test('a line beyond the maximum length is reported before it fills the memory', async () => {
  let given = 0;
  async function* endless() {
    yield 'sn,name\n1,"';
    for (; given < 16_384; given++) yield 'x'.repeat(65_536);
  }
  const read = async () => {
    for await (const _ of splitList(endless()));
  };
  await expect(read()).rejects.toEqual(new EndlessLine(2));
  expect(given).toBeLessThan(4);
});
