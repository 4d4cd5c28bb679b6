import type { Text } from '../core/text.ts';

/** Trace id of readings, events and clock deviations that were loaded as history when the demonstration began: no exchange brought them. */
export const LOADED_TRACE = '00000000-0000-4000-8000-000000000001';

export const isLoaded = (traceId: string | null): boolean => traceId === LOADED_TRACE;

/** Why a user of the demonstration is locked. */
export const LOADED_USER_TEXT = {
  en: 'Came with the demonstration. Set a password, then unlock.',
  zh: '演示数据自带用户，请先设置密码再解锁',
} as const satisfies Text;

export const LOADED_FIRMWARE_TEXT = {
  en: 'Came with the demonstration; simulated meters accept it',
  zh: '演示数据自带，模拟电表可升级至此版本',
} as const satisfies Text;

export const LOADED_TEXT: Text = { en: 'Loaded history', zh: '历史导入' };
