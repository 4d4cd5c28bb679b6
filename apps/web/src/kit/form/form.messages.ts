import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const formTexts = defineMessages({
  enter: { en: '{label} is required', zh: '请输入{label}' },
  select: { en: '{label} is required', zh: '请选择{label}' },
  tooLong: { en: 'At most {max} characters', zh: '最多 {max} 个字符' },
  invalid: { en: '{label} is not valid', zh: '{label}格式不正确' },
  correct: { en: 'Please correct the marked fields', zh: '请修改标记的字段' },
  discard: { en: 'Leave without saving?', zh: '尚未保存，确定离开？' },
  discardHint: { en: 'Your changes here will be lost.', zh: '此处的修改将丢失。' },
  discardYes: { en: 'Leave', zh: '离开' },
  draftBack: { en: 'Your unsaved input is restored; it is not saved yet.', zh: '已恢复您之前未保存的内容，尚未保存。' },
  conflict: { en: 'Another user saved first', zh: '他人已先保存' },
  conflictHint: { en: 'Choose for each field which value to keep, then save again.', zh: '请逐项选择保留的值，然后再次保存。' },
  conflictNone: { en: 'The stored values equal yours. Save again to confirm.', zh: '内容与您的一致，请再次保存确认。' },
  field: words.field,
  yours: { en: 'Yours', zh: '您的值' },
  theirs: { en: 'Theirs, saved', zh: '对方已保存的值' },
  yes: words.yes,
  no: words.no,
  save: words.save,
  recorded: { en: 'Recorded with your name and time.', zh: '操作将记录您的姓名和时间。' },
});
