import { defineMessages } from '#shared/i18n/messages.ts';

export const formTexts = defineMessages({
  enter: { en: 'Please Enter {label}', zh: '请输入{label}' },
  select: { en: 'Please Select {label}', zh: '请选择{label}' },
  tooLong: { en: 'At Most {max} Characters', zh: '最多 {max} 个字符' },
  invalid: { en: '{label} Is Not Valid', zh: '{label}格式不正确' },
  correct: { en: 'Please correct the marked fields', zh: '请修改标记的字段' },
  discard: { en: 'Leave without saving?', zh: '尚未保存，确定离开？' },
  discardHint: { en: 'What you have changed here will be lost.', zh: '此处的修改将丢失。' },
  discardYes: { en: 'Leave', zh: '离开' },
  save: { en: 'Save', zh: '保存' },
  recorded: { en: 'Recorded with your name and time.', zh: '操作将记录您的姓名和时间。' },
});
