import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  areaCount: { en: '{count} {count|node|nodes} chosen', zh: '已选 {count} 个节点' },
  areaMeters: { en: '{meters} {count|meter|meters}', zh: '{meters} 块电表' },
  chosenNodes: { en: 'Chosen nodes', zh: '所选节点' },
  outsideNode: { en: 'A node outside your area', zh: '您管辖范围外的节点' },
  removeNode: { en: 'Remove {name}', zh: '移除{name}' },
});
