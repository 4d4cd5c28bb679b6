import { words as shared } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

// @spec seed §4
export const words = defineMessages({
  h24: { en: 'Past 24 hours', zh: '24小时内' },
  h24_48: { en: '24-48 hours', zh: '24-48小时' },
  h48_72: { en: '48-72 hours', zh: '48-72小时' },
  over72: { en: 'Over 72 hours', zh: '超过72小时' },
  none: { en: 'No communication', zh: '无通信' },
  noLevel: { en: 'None', zh: '无' },
  online: shared.online,
  offline: shared.offline,
  never: { en: 'Never connected', zh: '从未上线' },
  unknownOnline: { en: 'Unconfirmed', zh: '待确认' },
  waiting: { en: 'Waiting', zh: '等待中' },
  cancelled: { en: 'Cancelled', zh: '已取消' },
  expired: { en: 'Expired', zh: '已过期' },
  waiting_approval: { en: 'Waiting for approval', zh: '等待审批' },
  running: { en: 'Running', zh: '运行中' },
  paused: { en: 'Paused', zh: '已暂停' },
  finished: { en: 'Finished', zh: '已完成' },
  partly_failed: { en: 'Partly failed', zh: '部分失败' },
  failed: shared.failed,
  unknown: { en: 'Outcome unknown', zh: '结果未知' },
  in_warehouse: { en: 'In warehouse', zh: '在库' },
  installed: { en: 'Installed', zh: '已安装' },
  active: { en: 'Active', zh: '已激活' },
  type_enabled: shared.enabled,
  type_disabled: shared.disabled,
  no_dcu: { en: 'No DCU', zh: '无集中器' },
  all_online: { en: 'All DCUs online', zh: '集中器全部在线' },
  some_offline: { en: 'Some offline', zh: '部分离线' },
  user_active: { en: 'Active', zh: '正常' },
  factor_on: { en: 'On', zh: '已启用' },
  factor_off: { en: 'Off', zh: '未启用' },
  user_locked: { en: 'Locked', zh: '已锁定' },
  changed_outside: { en: 'Changed outside', zh: '系统外更改' },
  notCompared: { en: 'By the record: the DCU was not compared yet', zh: '按登记：尚未与集中器比对' },
  user_must_change: { en: 'Must change password', zh: '须改密码' },
});

export const openOrderTexts = defineMessages({
  orderRunning: { en: 'Order running', zh: '命令执行中' },
  beforeOrder: {
    en: 'The state is from before this order. It is updated when the order ends.',
    zh: '该状态为命令执行前的状态，命令结束后更新。',
  },
});
