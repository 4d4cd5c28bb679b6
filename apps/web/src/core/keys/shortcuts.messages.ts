import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const groupTexts = defineMessages({
  everywhere: { en: 'Everywhere', zh: '全局' },
  list: { en: 'Lists', zh: '列表' },
  run: { en: 'Runs', zh: '执行页' },
  network: words.networkTopology,
});

/** What each shortcut does, as the key sheet names it. */
export const shortcutTexts = defineMessages({
  search: { en: 'Search modules and devices', zh: '搜索功能和设备' },
  openTab: { en: 'Go to an open page', zh: '切换到已打开页面' },
  closeTab: { en: 'Close the page', zh: '关闭当前页面' },
  reload: { en: 'Reload the page', zh: '刷新当前页面' },
  closeWindow: { en: 'Close the topmost window', zh: '关闭最上层窗口' },
  help: { en: 'Help for the page, words and shortcuts', zh: '页面帮助、术语和快捷键' },
  filter: { en: 'Go to the search field of the list', zh: '定位到列表搜索框' },
  moveRow: { en: 'Row above, row below', zh: '上一行、下一行' },
  moveToEnd: { en: 'First row, last row', zh: '首行、末行' },
  moveByPage: { en: 'One window of rows up, down', zh: '向上、向下翻一屏' },
  moveInRow: { en: 'Controls of the row; open or close a branch', zh: '行内控件；展开、折叠分支' },
  raiseRow: { en: 'Move the row up, in ordered lists', zh: '上移该行（可排序列表）' },
  lowerRow: { en: 'Move the row down, in ordered lists', zh: '下移该行（可排序列表）' },
  openRow: { en: 'Open the row', zh: '打开该行' },
  selectRow: { en: 'Select the row', zh: '选择该行' },
  selectRange: { en: 'Select from the last one to here', zh: '从上一选择连选至此' },
  selectPage: { en: 'Select all rows of the page', zh: '全选本页' },
  nextDetails: { en: 'Next row with details open', zh: '详情打开时下一行' },
  previousDetails: { en: 'Previous row with details open', zh: '详情打开时上一行' },
  closeDetails: { en: 'Close the details', zh: '关闭详情' },
  pauseRun: { en: 'Pause or resume the run', zh: '暂停或继续任务' },
  stopRun: { en: 'Stop the run, after a confirmation', zh: '停止任务（需确认）' },
  fitNetwork: { en: 'Fit the whole network', zh: '显示全部网络' },
  zoomIn: words.zoomIn,
  zoomOut: words.zoomOut,
  moveStation: { en: 'Parent, child and siblings of the station', zh: '父节点、子节点与同级节点' },
});
