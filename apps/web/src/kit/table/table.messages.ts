import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const tableTexts = defineMessages({
  columns: { en: 'Columns and density', zh: '列与密度' },
  density: { en: 'Density', zh: '密度' },
  compact: { en: 'Compact', zh: '紧凑' },
  standard: { en: 'Standard', zh: '标准' },
  comfortable: { en: 'Wide', zh: '宽松' },
  earlier: { en: 'Move {title} forward', zh: '{title}前移' },
  later: { en: 'Move {title} back', zh: '{title}后移' },
  asDelivered: { en: 'Restore defaults', zh: '恢复默认' },
  views: { en: 'Saved views', zh: '已存视图' },
  noViews: { en: 'Save these filters and this sort order as a view.', zh: '将当前筛选与排序保存为视图。' },
  viewName: { en: 'Name of this view', zh: '视图名称' },
  saveView: words.save,
  forgetView: { en: 'Delete view {name}', zh: '删除视图 {name}' },
  selectRow: { en: 'Select {name}', zh: '选择{name}' },
  selectPage: { en: 'Select all on this page', zh: '全选本页' },
  selected: { en: '{count} selected', zh: '已选 {count} 项' },
  selectAll: { en: 'Select all {count} of this filter', zh: '选择筛选出的全部 {count} 项' },
  allSelected: { en: 'All {count} of this filter are selected', zh: '已选择筛选出的全部 {count} 项' },
  tooMany: { en: 'At most {count} at once', zh: '一次最多 {count} 项' },
  clear: { en: 'Clear selection', zh: '清除选择' },
  cannotRefresh: {
    en: 'Cannot refresh: the head-end has not answered since {time}. The list shows the last known data.',
    zh: '无法刷新：主站自 {time} 起无响应，列表为最近一次获取的数据。',
  },
});
