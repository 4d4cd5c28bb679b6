import type { Cell } from './csv-write.ts';
import { writeZip } from './zip-write.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const ROWS_AT_ONCE = 200;
const MAX_SHEET_NAME = 31;

// oxlint-disable-next-line no-control-regex -- XML does not allow these characters
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replaceAll(NO_XML, '').replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark);

/** User and time of an export, for the document properties and the footer of each page. */
export interface Watermark {
  by: string;
  at: Date;
}

const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf fontId="1" applyFont="1" xfId="0"/></cellXfs></styleSheet>`;
const TYPES = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/></Types>`;
const ROOT = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
const WORKBOOK_PARTS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;

const CORE = `${PACKAGE}/metadata/core-properties`;
const withCore = (part: string, what: string, end: string) => part.replace(end, `${what}${end}`);
const TYPES_WITH_CORE = withCore(
  TYPES,
  '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>',
  '</Types>',
);
const ROOT_WITH_CORE = withCore(
  ROOT,
  `<Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>`,
  '</Relationships>',
);
const coreXml = ({ by, at }: Watermark) =>
  `${HEAD}<cp:coreProperties xmlns:cp="${CORE}" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator>${escape(by)}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${at.toISOString()}</dcterms:created></cp:coreProperties>`;
/** Ampersands are doubled, because they begin a command in a footer. */
const footerXml = ({ by, at }: Watermark) =>
  `<headerFooter><oddFooter>&amp;L${escape(by.replaceAll('&', '&&'))} ${at.toISOString()}</oddFooter></headerFooter>`;

const sheetName = (title: string) => escape(title.replaceAll(/[\\/?*[\]:]/g, ' ').slice(0, MAX_SHEET_NAME) || 'Sheet1');
const workbook = (title: string) =>
  `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheetName(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;

/** Writes text as inline strings (never formulas) and numbers as numbers. */
function cellXml(cell: Cell, style: string): string {
  if (cell === null || cell === '') return '<c/>';
  if (typeof cell === 'number') return Number.isFinite(cell) ? `<c${style}><v>${cell}</v></c>` : '<c/>';
  return `<c t="inlineStr"${style}><is><t xml:space="preserve">${escape(cell)}</t></is></c>`;
}

async function* sheetXml(
  rows: AsyncIterable<Cell[]> | Iterable<Cell[]>,
  { widths, watermark }: SheetOptions & { widths: readonly number[] },
): AsyncGenerator<string> {
  const columns = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`).join('');
  let text = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns === '' ? '' : `<cols>${columns}</cols>`}<sheetData>`;
  let count = 0;
  for await (const row of rows) {
    const style = count === 0 ? ' s="1"' : '';
    text += `<row>${row.map((cell) => cellXml(cell, style)).join('')}</row>`;
    if (++count % ROWS_AT_ONCE === 0) {
      yield text;
      text = '';
    }
  }
  yield `${text}</sheetData>${watermark === undefined ? '' : footerXml(watermark)}</worksheet>`;
}

interface SheetOptions {
  widths?: readonly number[];
  watermark?: Watermark | undefined;
}

/** Writes a workbook with one sheet, piece by piece; the first row is the heading. */
export function writeXlsx(
  title: string,
  rows: AsyncIterable<Cell[]> | Iterable<Cell[]>,
  { widths = [], watermark }: SheetOptions = {},
): AsyncGenerator<Buffer> {
  return writeZip([
    { name: '[Content_Types].xml', text: [watermark === undefined ? TYPES : TYPES_WITH_CORE] },
    { name: '_rels/.rels', text: [watermark === undefined ? ROOT : ROOT_WITH_CORE] },
    ...(watermark === undefined ? [] : [{ name: 'docProps/core.xml', text: [coreXml(watermark)] }]),
    { name: 'xl/workbook.xml', text: [workbook(title)] },
    { name: 'xl/_rels/workbook.xml.rels', text: [WORKBOOK_PARTS] },
    { name: 'xl/styles.xml', text: [STYLES] },
    { name: 'xl/worksheets/sheet1.xml', text: sheetXml(rows, { widths, watermark }) },
  ]);
}
