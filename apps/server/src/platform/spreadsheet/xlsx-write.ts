import type { Cell } from './csv-write.ts';
import { writeZip } from './zip-write.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const ROWS_AT_ONCE = 200;
const MAX_SHEET_NAME = 31;

// oxlint-disable-next-line no-control-regex -- XML has no place for these
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replaceAll(NO_XML, '').replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark);

const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf fontId="1" applyFont="1" xfId="0"/></cellXfs></styleSheet>`;
const TYPES = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/></Types>`;
const ROOT = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
const WORKBOOK_PARTS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;

const sheetName = (title: string) => escape(title.replaceAll(/[\\/?*[\]:]/g, ' ').slice(0, MAX_SHEET_NAME) || 'Sheet1');
const workbook = (title: string) =>
  `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheetName(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;

/** Text stands as text (never a formula), numbers as numbers. */
function cellXml(cell: Cell, style: string): string {
  if (cell === null || cell === '') return '<c/>';
  if (typeof cell === 'number') return Number.isFinite(cell) ? `<c${style}><v>${cell}</v></c>` : '<c/>';
  return `<c t="inlineStr"${style}><is><t xml:space="preserve">${escape(cell)}</t></is></c>`;
}

async function* sheetXml(rows: AsyncIterable<Cell[]> | Iterable<Cell[]>, widths: readonly number[]): AsyncGenerator<string> {
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
  yield `${text}</sheetData></worksheet>`;
}

/** A workbook with one sheet, the first row as its head. Piece by piece. */
export function writeXlsx(
  title: string,
  rows: AsyncIterable<Cell[]> | Iterable<Cell[]>,
  widths: readonly number[] = [],
): AsyncGenerator<Buffer> {
  return writeZip([
    { name: '[Content_Types].xml', text: [TYPES] },
    { name: '_rels/.rels', text: [ROOT] },
    { name: 'xl/workbook.xml', text: [workbook(title)] },
    { name: 'xl/_rels/workbook.xml.rels', text: [WORKBOOK_PARTS] },
    { name: 'xl/styles.xml', text: [STYLES] },
    { name: 'xl/worksheets/sheet1.xml', text: sheetXml(rows, widths) },
  ]);
}
