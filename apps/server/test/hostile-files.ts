import { writeXlsx } from '../src/platform/spreadsheet/xlsx-write.ts';
import { writeZip } from '../src/platform/spreadsheet/zip-write.ts';

export interface HostileFile {
  kind: string;
  content: Buffer;
  /** Some of its lines can be read, each wrong on its own; otherwise the file as a whole is refused. */
  hasLines: boolean;
}

type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const HEAD = 'sn,typeCode,communicationMode,phase';
const FORMULAS = ["=cmd|'/c calc'!A0", '+SUM(A1:A9)', '-2+3', '@SUM(1)', '=HYPERLINK("http://x","y")', '\t=1+1'];

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const book = (sheet: string, more: { name: string; text: Iterable<string> }[] = []) =>
  bytesOf(
    writeZip([
      { name: 'xl/workbook.xml', text: ['<workbook xmlns:r="r"><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>'] },
      {
        name: 'xl/_rels/workbook.xml.rels',
        text: ['<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'],
      },
      { name: 'xl/worksheets/sheet1.xml', text: [`<worksheet><sheetData>${sheet}</sheetData></worksheet>`] },
      ...more.map(({ name, text }) => ({ name, text: text as string[] })), // as: any iterable will do
    ]),
  );
const goodBook = () => bytesOf(writeXlsx('Meters', [HEAD.split(','), ['WRONG', 'NOBODY', 'plc', 'A']]));

function* blanks(megabytes: number): Generator<string> {
  yield '<sst>';
  for (let count = 0; count < megabytes; count++) yield `<si><t>${' '.repeat(1_000_000)}</t></si>`;
}

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T; // as: an index of it
const octets = (random: Random, count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
const line = (random: Random) =>
  `${Math.floor(random() * 1e9)},NOBODY,${pick(random, ['plc', 'rf', 'wifi', ''])},${pick(random, ['A', 'Z', ''])}`;
const lines = (random: Random, count: number) => Array.from({ length: count }, () => line(random)).join('\n');
const csv = (text: string) => Buffer.from(text);

/** Seconds of work to make and to refuse; sheets.test.ts has it once. */
export const DEAR_KIND = 'a workbook that unpacks to far more';

type Make = (random: Random) => Buffer | Promise<Buffer>;

/** Refused as a whole. */
const BROKEN: Record<string, Make> = {
  'random octets': (random) => octets(random, 50 + Math.floor(random() * 5000)),
  nothing: () => Buffer.alloc(0),
  'a mark of UTF-8 and nothing else': () => Buffer.from('efbbbf', 'hex'),
  'a head and nothing else': () => csv(`${HEAD}\n`),
  'a head of another list': (random) => csv(`name,colour\n${lines(random, 3)}`),
  'octets of no encoding': (random) => Buffer.concat([csv(`${HEAD}\n${lines(random, 5)}`), Buffer.from('ffff0aff', 'hex')]),
  'half of UTF-16': (random) => Buffer.from(`\uFEFF${HEAD}\n${lines(random, 2)}`, 'utf16le').subarray(0, -1),
  'an open quotation mark': (random) => csv(`${HEAD}\n"${lines(random, 1 + Math.floor(random() * 200))}`),
  'a quotation mark within a cell': (random) => csv(`${HEAD}\n12"34,NOBODY,plc,A\n${lines(random, 3)}`),
  'a line without end': (random) => csv(`${HEAD}\n${'x'.repeat(140_000 + Math.floor(random() * 300_000))}`),
  'an unused cell': (random) => csv(`${HEAD}\n${'7'.repeat(4001 + Math.floor(random() * 50_000))},A,plc,A`),
  'hundreds of columns': (random) => csv(`${HEAD}\n${'x,'.repeat(300 + Math.floor(random() * 3000))}`),
  'characters that no text has': (random) => csv(`${HEAD}\n12\0${line(random)}`),
  'a workbook of old': (random) => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), octets(random, 600)]),
  'an archive that is no workbook': async (random) => bytesOf(writeZip([{ name: 'readme.txt', text: [lines(random, 4)] }])),
  'an archive of noise': (random) => Buffer.concat([Buffer.from('PK\u0003\u0004'), octets(random, 2000)]),
  'half of a workbook': async (random) => {
    const whole = await goodBook();
    return whole.subarray(0, Math.floor(whole.length * (0.1 + 0.8 * random())));
  },
  [DEAR_KIND]: () => book('<row><c t="s"><v>0</v></c></row>', [{ name: 'xl/sharedStrings.xml', text: blanks(120) }]),
  'a formula': (random) => book(`<row r="1"><c r="A1"><f>${pick(random, ['1+1', 'NOW()', 'A2'])}</f><v>2</v></c></row>`),
  'entities that grow': () => book('<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><row/>'),
  'XML that has no end': (random) => book('<row>'.repeat(70 + Math.floor(random() * 500))),
  'a page of the web': () => csv('<!doctype html><html><body><table><tr><td>sn</td></tr></table></body></html>'),
  'a document': (random) => Buffer.concat([csv('%PDF-1.7\n'), octets(random, 400)]),
  'an object': () => csv('{"sn": "1", "typeCode": "x"}'),
};

/** Read, and every line of them wrong. */
const WRONG: Record<string, Make> = {
  'formulas in cells': (random) =>
    csv(`${HEAD}\n${Array.from({ length: 5 }, () => `"${pick(random, FORMULAS).replaceAll('"', '""')}",NOBODY,plc,A`).join('\n')}`),
  'lines of other lengths': (random) => csv(`${HEAD}\n1\n1,2,3,4,5,6,7,8\n${lines(random, 2)}\n,,,,`),
  'words in GBK': (random) => Buffer.concat([csv(`${HEAD}\n`), Buffer.from('b5e7b1ed', 'hex'), csv(`,NOBODY,plc,A\n${lines(random, 2)}`)]),
  'the same line many times': (random) => csv(`${HEAD}\n${`${line(random)}\n`.repeat(50)}`),
  'signs of other scripts': (random) => csv(`${HEAD}\n\u202E4321,NOBODY,plc,A\n${lines(random, 2)}`),
};

/** As many files as wanted, each kind in turn, that no list is made of; the same ones for the same seed. */
export async function* hostileFiles(seed: number, count: number, without?: string): AsyncGenerator<HostileFile> {
  const random = randomOf(seed);
  const kinds = [
    ...Object.entries(BROKEN).map(([kind, make]) => ({ kind, make, hasLines: false })),
    ...Object.entries(WRONG).map(([kind, make]) => ({ kind, make, hasLines: true })),
  ].filter(({ kind }) => kind !== without);
  for (let at = 0; at < count; at++) {
    const { kind, make, hasLines } = kinds[at % kinds.length] as (typeof kinds)[number]; // as: an index of it
    yield { kind, hasLines, content: await make(random) };
  }
}

export const HOSTILE_KINDS = Object.keys(BROKEN).length + Object.keys(WRONG).length;
