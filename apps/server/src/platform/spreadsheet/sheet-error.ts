import { fill, type Text, type TextParams } from '@hes/contract/core/text.ts';
import { ApiError } from '#platform/api-error.ts';

/** One line of a file: its number from 1, and its cells as text. */
export interface SheetLine {
  line: number;
  cells: string[];
}

export const MAX_COLUMNS = 256;
const MAX_CELL_CHARACTERS = 4000;

const REASONS = {
  encoding: { en: 'Its text is neither UTF-8 nor GBK.', zh: '文本编码既不是 UTF-8 也不是 GBK。' },
  quote: { en: 'Line {line}: a quotation mark is out of place or not closed.', zh: '第 {line} 行：引号位置错误或未闭合。' },
  long: { en: 'Line {line} is longer than any list needs.', zh: '第 {line} 行过长。' },
  wide: { en: 'Line {line} has more than {max} columns.', zh: '第 {line} 行超过 {max} 列。' },
  cell: { en: 'Line {line}: a cell has more than {max} characters.', zh: '第 {line} 行：单元格超过 {max} 个字符。' },
  formula: { en: 'Cell {cell} holds a formula. Please paste its value.', zh: '单元格 {cell} 含公式，请改为数值。' },
  archive: { en: 'It is not a workbook, or it is damaged.', zh: '不是有效的工作簿或文件已损坏。' },
  bomb: { en: 'Unpacked it would be larger than any list.', zh: '解压后体积过大。' },
  oldBinary: { en: 'It is a workbook of Excel 97. Please save it as XLSX or CSV.', zh: '这是 Excel 97 格式，请另存为 XLSX 或 CSV。' },
  binary: { en: 'Line {line}: it holds characters that no text has.', zh: '第 {line} 行：含有非文本字符。' },
  json: {
    en: 'It is not a JSON list: an array of objects.',
    zh: '不是有效的 JSON 列表：应为对象数组。',
  },
  empty: { en: 'It has no lines.', zh: '文件没有内容。' },
} satisfies Record<string, Text>;

/** Error of an unreadable file, with the line concerned. */
export function sheetError(reason: keyof typeof REASONS, params: TextParams = {}): ApiError {
  return new ApiError('FILE_UNREADABLE', { reason: fill(REASONS[reason], params) });
}

// oxlint-disable-next-line no-control-regex -- these characters are refused
const NO_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Checks size and characters of a line before validation and storage. */
export function checkLine({ line, cells }: SheetLine): SheetLine {
  if (cells.length > MAX_COLUMNS) throw sheetError('wide', { line, max: MAX_COLUMNS });
  for (const cell of cells) {
    if (cell.length > MAX_CELL_CHARACTERS) throw sheetError('cell', { line, max: MAX_CELL_CHARACTERS });
    if (NO_TEXT.test(cell)) throw sheetError('binary', { line });
  }
  return { line, cells };
}
