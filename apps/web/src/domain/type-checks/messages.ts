import { common } from '#core/i18n/common.messages.ts';
import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

const messages = defineMessages({
  checked: { en: 'Objects of the profile', zh: '规约中的对象' },
  learnt: { en: 'Objects of the meter', zh: '电表的对象' },
  object: words.object,
  value: words.value,
  pagesWork: { en: 'Pages that will work', zh: '可用页面' },
  works: { en: 'Works', zh: '可用' },
  missing: { en: 'Lacks', zh: '缺少' },
  result: words.result,
  present: { en: 'Present', zh: '支持' },
  absent: { en: 'Not in its object list', zh: '对象列表中无此对象' },
  running: { en: 'Checking {sn}: {done} of {total} objects', zh: '正在检查 {sn}：{done}/{total} 个对象' },
  finished: { en: '{sn}: {ok} of {total} objects present', zh: '{sn}：支持 {ok}/{total} 个对象' },
  reading: { en: 'Reading the object list', zh: '正在读取对象列表' },
  difference: { en: 'Difference', zh: '差异' },
  same: { en: 'Same', zh: '一致' },
  added: { en: 'Meter has more', zh: '电表新增' },
  removed: { en: 'Meter lacks it', zh: '电表缺少' },
  unknown: { en: 'Not in the dictionary', zh: '字典中无此对象' },
  attribute: { en: 'Attribute', zh: '属性' },
  class: { en: 'Class', zh: '类' },
  proposal: {
    en: 'Same: {same} · new: {added} · missing: {removed} · unknown: {unknown}',
    zh: '一致 {same} · 新增 {added} · 缺少 {removed} · 未知 {unknown}',
  },
  unlisted: {
    en: 'The meter announces {announced} objects and lists {listed}. Those that it does not list appear here as missing.',
    zh: '电表声明有 {announced} 个对象，但只列出 {listed} 个。未列出的对象在此显示为缺少。',
  },
  onlyDifferences: { en: 'Differences only', zh: '仅显示差异' },
  templateName: { en: 'Name of the new template', zh: '新模板名称' },
  takeOver: { en: 'Take over as template', zh: '采用为模板' },
  tookOver: { en: '{name} has the new template', zh: '{name} 已采用新模板' },
});
export const texts = { ...common, ...messages };
