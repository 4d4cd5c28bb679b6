import { defineMessages } from '#shared/i18n/messages.ts';

// @spec seed §4
export const words = defineMessages({
  h24: { en: 'Past 24 Hours', zh: '24小时内' },
  h24_48: { en: '24-48 Hours', zh: '24-48小时' },
  h48_72: { en: '48-72 Hours', zh: '48-72小时' },
  over72: { en: 'Over 72 Hours', zh: '超过72小时' },
  none: { en: 'No Communication', zh: '无通信' },
  online: { en: 'Online', zh: '在线' },
  offline: { en: 'Offline', zh: '离线' },
  never: { en: 'Never Connected', zh: '从未上线' },
  waiting: { en: 'Waiting', zh: '等待中' },
  reading: { en: 'Reading', zh: '抄读中' },
  read_success: { en: 'Read Success', zh: '抄读成功' },
  read_fail: { en: 'Read Fail', zh: '抄读失败' },
  cancelled: { en: 'Cancelled', zh: '已取消' },
  expired: { en: 'Expired', zh: '已过期' },
  waiting_approval: { en: 'Waiting for approval', zh: '等待审批' },
  running: { en: 'Running', zh: '运行中' },
  finished: { en: 'Finished', zh: '已完成' },
  partly_failed: { en: 'Partly failed', zh: '部分失败' },
  failed: { en: 'Failed', zh: '失败' },
  in_warehouse: { en: 'In Warehouse', zh: '在库' },
  installed: { en: 'Installed', zh: '已安装' },
  active: { en: 'Active', zh: '已激活' },
});
