import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** Steps of a firmware upgrade. @spec seed §4 */
export const upgradeState = z.enum([
  'idle',
  'check_version',
  'download_file',
  'enable_translate',
  'set_block_size',
  'translate_init',
  'start_translate',
  'translating',
  'check_fail_block',
  'check_image',
  'activate_image',
  'no_need_complete',
  'send_upgrade_rt',
  'send_upgrade_sta',
  'wait_update',
  'updating',
  'update_success',
  'update_fail',
  'complete',
  'error',
]);
export type UpgradeState = z.infer<typeof upgradeState>;

export const UPGRADE_TEXT: Record<UpgradeState, Text> = {
  idle: { en: 'Idle', zh: '空闲' },
  check_version: { en: 'Check Version', zh: '校验版本' },
  download_file: { en: 'Download File', zh: '下载文件' },
  enable_translate: { en: 'Enable Translate', zh: '使能传输' },
  set_block_size: { en: 'Set Block Size', zh: '设置块大小' },
  translate_init: { en: 'Translate Init', zh: '传输初始化' },
  start_translate: { en: 'Start Translate', zh: '开始传输' },
  translating: { en: 'Translating', zh: '传输中' },
  check_fail_block: { en: 'Check Fail Block', zh: '检查失败块' },
  check_image: { en: 'Check Image', zh: '校验镜像' },
  activate_image: { en: 'Activate Image', zh: '激活镜像' },
  no_need_complete: { en: 'No Need Complete', zh: '无需升级' },
  send_upgrade_rt: { en: 'Send Upgrade RT', zh: '下发路由模块升级' },
  send_upgrade_sta: { en: 'Send Upgrade STA', zh: '下发STA升级' },
  wait_update: { en: 'Wait Update', zh: '等待更新' },
  updating: { en: 'Updating', zh: '更新中' },
  update_success: { en: 'Update Success', zh: '更新成功' },
  update_fail: { en: 'Update Fail', zh: '更新失败' },
  complete: { en: 'Complete', zh: '完成' },
  error: { en: 'Error', zh: '错误' },
};
