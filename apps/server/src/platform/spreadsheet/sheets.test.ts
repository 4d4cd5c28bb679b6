import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { writeCsv, type Cell } from './csv-write.ts';
import { writeJson } from './json-write.ts';
import { readSheet } from './read-sheet.ts';
import { writeXlsx } from './xlsx-write.ts';
import { writeZip } from './zip-write.ts';

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function linesOf(file: Uint8Array | string) {
  const lines: string[] = [];
  for await (const { line, cells } of readSheet(Buffer.from(file))) lines.push(`${line}: ${cells.join(' | ')}`);
  return lines;
}

async function reasonOf(file: Uint8Array | string): Promise<string> {
  try {
    await linesOf(file);
  } catch (error) {
    return (error as { say(locale: string): string }).say('en-US'); // as: an ApiError, or the test fails
  }
  return 'no reason';
}

const workbook = (sheet: string, more: { name: string; text: string[] }[] = []) =>
  bytesOf(
    writeZip([
      { name: 'xl/workbook.xml', text: ['<workbook xmlns:r="r"><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>'] },
      {
        name: 'xl/_rels/workbook.xml.rels',
        text: ['<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'],
      },
      { name: 'xl/worksheets/sheet1.xml', text: [`<worksheet><sheetData>${sheet}</sheetData></worksheet>`] },
      ...more,
    ]),
  );

const ROWS: Cell[][] = [
  ['SN', '名称', 'Value'],
  ['000123', 'a "quoted", name', 1.5],
  ['=1+1', 'two\nlines', null],
];

describe('a JSON list', () => {
  test('may omit names, and another structure is refused', async () => {
    expect(await linesOf('[{"SN":"1","Value":2},{"SN":"3","Words":{"0":"Open"}}]')).toEqual([
      '1: SN | Value | Words',
      '2: 1 | 2 | ',
      '3: 3 |  | {"0":"Open"}',
    ]);
    for (const file of ['[1, 2]', '[{"SN":"1"}', '[[]]']) expect(await reasonOf(file)).toContain('It is not a JSON list');
  });
});

describe('a written list can be read back', () => {
  test.each(['csv', 'xlsx', 'json'] as const)('as %s', async (format) => {
    const file = await bytesOf(format === 'csv' ? writeCsv(ROWS) : format === 'json' ? writeJson(ROWS) : writeXlsx('List', ROWS));
    const first = format === 'csv' ? "'=1+1" : '=1+1';
    const lines = await linesOf(file);
    expect(lines.map((line) => line.slice(line.indexOf(': ') + 2))).toEqual([
      'SN | 名称 | Value',
      '000123 | a "quoted", name | 1.5',
      `${first} | two\nlines | `,
    ]);
  });

  test('a cell that begins like a formula is written as text', async () => {
    const text = (await bytesOf(writeCsv([['=cmd', '+x', '-x', '@x', '\tx', '-12.5', '+49', 7]]))).toString();
    expect(text).toBe("\uFEFF'=cmd,'+x,'-x,'@x,'\tx,-12.5,+49,7\r\n");
    expect((await bytesOf(writeXlsx('x', [['=cmd']]))).includes('<f>')).toBe(false);
  });

  test.each(['＝1+1', '＋1', '－cmd', '＠x', ';=1+1', ' =1+1', '\u200B=1', ';;＝1', '|=1'])(
    '%s is also written as text, and read back unchanged',
    async (text) => {
      const file = await bytesOf(
        writeCsv([
          ['A', 'B'],
          [text, 'y'],
        ]),
      );
      expect(file.toString()).toContain(`'${text}`);
      expect((await linesOf(file))[1]).toContain(text.trim());
    },
  );
});

describe('a CSV file', () => {
  test.each([
    ['UTF-8', Buffer.from('SN,名称\n1,电表\n')],
    ['UTF-8 with BOM', Buffer.from('\uFEFFSN,名称\r\n1,电表\r\n')],
    ['GBK', Buffer.from('534e2cc3fbb3c60a312cb5e7b1ed0a', 'hex')],
    ['UTF-16', Buffer.from('\uFEFFSN,名称\n1,电表\n', 'utf16le')],
    ['semicolons', Buffer.from('SN;名称\n1;电表\n')],
  ])('in %s is read', async (_, file) => {
    expect(await linesOf(file)).toEqual(['1: SN | 名称', '2: 1 | 电表']);
  });

  test('keeps line numbers across empty lines and line breaks in cells', async () => {
    expect(await linesOf('a,b\n\n"x\ny",2\n,\n3,4\n')).toEqual(['1: a | b', '4: x\ny | 2', '6: 3 | 4']);
  });

  test.each([
    ['an open quotation mark', 'a,b\n"x,2\n3,4\n', /^The file cannot be read\. Line \d+: a quotation mark/],
    ['an endless line', `a,b\n${'x'.repeat(300_000)}`, /Line \d+ is longer than any list needs/],
    ['an oversized cell', `a,b\n1,${'x'.repeat(5000)}\n`, /Line 2: a cell has more than 4,000 characters/],
    ['a thousand columns', `a\n${'x,'.repeat(1000)}\n`, /Line 2 has more than 256 columns/],
    ['a NUL', 'a,b\n1,x\0y\n', /Line 2: it holds characters that no text has/],
    ['octets of no encoding', Buffer.from([0x61, 0x0a, 0xff, 0xff, 0x0a]), /neither UTF-8 nor GBK/],
    ['an Excel 97 workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /Excel 97/],
  ])('with %s is refused with a reason', async (_, file, sentence) => {
    expect(await reasonOf(file)).toMatch(sentence);
  });
});

describe('a workbook', () => {
  test('is read with shared and inline text, full numbers, dates and gaps', async () => {
    const file = await workbook(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>c</t></is></c></row>' +
        '<row r="3"><c r="A3"><v>2.02611210001E11</v></c><c r="B3" s="1"><v>46347</v></c><c r="C3" t="b"><v>1</v></c></row>',
      [
        { name: 'xl/sharedStrings.xml', text: ['<sst><si><r><t>S</t></r><r><t>N</t></r><rPh><t>x</t></rPh></si></sst>'] },
        { name: 'xl/styles.xml', text: ['<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'] },
      ],
    );
    expect(await linesOf(file)).toEqual(['1: SN |  | c', '3: 202611210001 | 2026-11-21 | true']);
  });

  test('with a formula is refused with the cell', async () => {
    expect(await reasonOf(await workbook('<row r="1"><c r="B1"><f>1+1</f><v>2</v></c></row>'))).toMatch(/Cell B1 holds a formula/);
  });

  test('that is a decompression bomb is refused before it fills the memory', async () => {
    const file = await workbook('', [
      {
        name: 'xl/sharedStrings.xml',
        text: (function* () {
          yield '<sst>';
          for (let count = 0; count < 120; count++) yield `<si><t>${' '.repeat(1_000_000)}</t></si>`;
        })() as unknown as string[], // as: any iterable will do
      },
    ]);
    expect(file.length).toBeLessThan(1_000_000);
    expect(await reasonOf(file)).toMatch(/larger than any list/);
  });

  test('with thousands of files is refused before they are listed', async () => {
    const more = Array.from({ length: 2001 }, (_, at) => ({ name: `xl/media/${at}.xml`, text: ['x'] }));
    expect(await reasonOf(await workbook('', more))).toMatch(/larger than any list/);
  });

  test('is refused when it is encrypted, or when its directory has a wrong size, checksum or offset', async () => {
    const good = await workbook('<row r="1"><c r="A1"><v>1</v></c></row>');
    expect(await linesOf(good)).toEqual(['1: 1']);
    const directory = good.lastIndexOf(Buffer.from('504b0102', 'hex'));
    const changed = (offset: number, value: number) => {
      const file = Buffer.from(good);
      file.writeUInt16LE(value, directory + offset);
      return file;
    };
    const flags = good.readUInt16LE(directory + 8);
    const [crc, packed, plain] = [16, 20, 24].map((offset) => good.readUInt16LE(directory + offset));
    const lies: [string, Buffer][] = [
      ['encrypted', changed(8, flags | 1)],
      ['strongly encrypted', changed(8, flags | 0x41)],
      ['another method', changed(10, 12)],
      ['another checksum', changed(16, (crc ?? 0) ^ 1)],
      ['packed smaller', changed(20, (packed ?? 0) - 3)],
      ['packed larger than the file', changed(20, 65_000)],
      ['unpacked smaller', changed(24, (plain ?? 0) - 1)],
      ['unpacked larger', changed(24, (plain ?? 0) + 1)],
      ['elsewhere', changed(42, 7)],
      ['sizes of 64 bits that are missing', changed(22, 0xffff).fill(0xff, directory + 20, directory + 28)],
    ];
    for (const [lie, file] of lies) expect([lie, await reasonOf(file)]).toEqual([lie, expect.stringMatching(/not a workbook/)]);
  });

  test('of other writers is read: uncompressed entries, and names with a leading slash', async () => {
    const zip = new ZipFile();
    const add = (name: string, text: string) => zip.addBuffer(Buffer.from(text), name, { compress: false });
    add('xl/workbook.xml', '<workbook xmlns:r="r"><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>');
    add('xl/_rels/workbook.xml.rels', '<Relationships><Relationship Id="rId1" Target="/Xl/sheet1.xml"/></Relationships>');
    add('~Xl/sheet1.xml', '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>');
    zip.end({ forceZip64Format: true, comment: 'by another program' });
    const file = await bytesOf(zip.outputStream as unknown as AsyncIterable<Buffer>); // as: no encoding is set
    for (let at = file.indexOf('~Xl'); at >= 0; at = file.indexOf('~Xl')) file.write('/', at);
    expect(await linesOf(file)).toEqual(['1: 1']);
  });

  test('ends with the error of its rows, and stops reading rows when its reader stops', async () => {
    const failing = (async function* () {
      yield ['a'];
      throw new Error('the database is gone');
    })();
    await expect(bytesOf(writeXlsx('x', failing))).rejects.toThrow('the database is gone');
    let isClosed = false;
    const endless = (async function* () {
      try {
        for (let at = 0; ; at++) yield [String(Math.sin(at)).repeat(20)];
      } finally {
        isClosed = true;
      }
    })();
    let octets = 0;
    for await (const piece of writeXlsx('x', endless)) if ((octets += piece.length) > 1_000_000) break;
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });

  test('that is damaged at any octet is read or refused without another error', async () => {
    const good = await workbook('<row r="1"><c r="A1"><v>1</v></c></row>');
    for (let at = 2; at < good.length; at++) {
      const file = Buffer.from(good);
      file[at] = (file[at] ?? 0) ^ (1 + ((at * 37) % 255));
      expect(await reasonOf(file)).toMatch(/not a workbook|larger than any list|no reason/);
    }
  });

  test('that is damaged, or another file, is refused with a reason', async () => {
    const good = await workbook('<row r="1"><c r="A1"><v>1</v></c></row>');
    expect(await reasonOf(good.subarray(0, good.length - 30))).toMatch(/not a workbook/);
    expect(await reasonOf(Buffer.concat([Buffer.from('PK'), gzipSync('x'), deflateRawSync('y')]))).toMatch(/not a workbook/);
    expect(await reasonOf(await workbook('<row r="1"><c'))).toMatch(/not a workbook/);
    expect(await reasonOf(await workbook('<!DOCTYPE a [<!ENTITY b "c">]>'))).toMatch(/not a workbook/);
    const flipped = Buffer.from(good);
    for (let at = 40; at < 120; at++) flipped[at] = (flipped[at] ?? 0) ^ 0x5a;
    expect(await reasonOf(flipped)).toMatch(/not a workbook/);
  });
});
