import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  export: words.export,
  exportRows: { en: 'Export {count} {count|row|rows}', zh: '导出 {count} 行' },
  chosenRows: { en: '{count} selected {count|row|rows}', zh: '所选 {count} 行' },
  allRows: { en: 'All rows of the filter', zh: '筛选出的全部' },
  fewer: {
    en: '{count} of the selected rows {count|does|do} not match the filter any more and {count|is|are} not in the file.',
    zh: '所选行中有 {count} 行已不符合筛选条件，未写入文件。',
  },
  asCsv: { en: 'CSV (UTF-8)', zh: 'CSV（UTF-8）' },
  asXlsx: { en: 'XLSX (Excel)', zh: 'XLSX（Excel）' },
  asJson: { en: 'JSON', zh: 'JSON' },
  inBackground: {
    en: 'This is a long list. The file is being written, and you will be notified when it is ready.',
    zh: '数据较多，正在后台导出，完成后将通知您。',
  },
  ready: { en: 'Export ready', zh: '导出完成' },
  failed: { en: 'Export failed', zh: '导出失败' },
  readyText: { en: '{name} · {rows} {rows|row|rows}', zh: '{name} · {rows} 行' },
  failedText: {
    en: '{name} could not be created. Try again, or use a narrower filter.',
    zh: '{name} 未能生成，请重试或缩小筛选范围。',
  },
  download: words.download,
});
