import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  search: { en: 'SN, name or transformer', zh: '编号、名称或变压器' },
  searchPlaces: { en: 'Level or transformer', zh: '层级或变压器' },
  tree: { en: 'Network nodes', zh: '网络节点' },
  wholeNetwork: { en: 'Whole network', zh: '全网' },
  ownArea: { en: 'My network area', zh: '我的网络范围' },
  partOfNetwork: { en: 'Part of the network', zh: '部分网络' },
  noNodes: { en: 'No node found', zh: '未找到节点' },
});
