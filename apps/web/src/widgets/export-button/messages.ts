import { defineMessages } from '#shared/i18n/messages.ts';

export const messages = defineMessages({
  export: { en: 'Export', zh: '导出' },
  asCsv: { en: 'CSV (UTF-8)', zh: 'CSV（UTF-8）' },
  asXlsx: { en: 'XLSX (Excel)', zh: 'XLSX（Excel）' },
  asJson: { en: 'JSON', zh: 'JSON' },
  inBackground: {
    en: 'This is a long list: it is being written, and you will hear when it is ready.',
    zh: '数据较多，正在后台导出，完成后将通知您。',
  },
  ready: { en: 'Export Ready', zh: '导出完成' },
  failed: { en: 'Export Failed', zh: '导出失败' },
  readyText: { en: '{name} · {rows} {rows|row|rows}', zh: '{name} · {rows} 行' },
  failedText: {
    en: '{name} could not be written. Please try again, or with a narrower filter.',
    zh: '{name} 未能生成，请重试或缩小筛选范围。',
  },
  download: { en: 'Download', zh: '下载' },
});
