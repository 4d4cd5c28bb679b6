import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    dcus: words.dcu,
    history: { en: 'Signal, 7 days', zh: '近7天信号' },
    changes: { en: 'Changes', zh: '变更记录' },
    neighbours: { en: 'Neighbours', zh: '相邻节点' },
    level: words.level,
    directNote: {
      en: 'Direct meters: {count}. They have no route, because each has a connection of its own.',
      zh: '直连电表：{count} 块。它们各有自己的连接，因此没有路由。',
    },
    searchDcu: { en: 'SN or transformer', zh: '编号或变压器' },
  }),
};

/** By the keys of the counts in results of orders. */
export const countTexts = defineMessages({
  stations: words.stations,
  modules: { en: 'Modules', zh: '模块' },
  joined: { en: 'Joined', zh: '入网' },
  left: { en: 'Left', zh: '离网' },
  moved: { en: 'Other parent', zh: '更换父节点' },
  sent: { en: 'Sent', zh: '已发送' },
  answered: { en: 'Answered', zh: '已应答' },
  before: { en: 'Restarts before', zh: '此前重启次数' },
  after: { en: 'Restarts now', zh: '当前重启次数' },
});
