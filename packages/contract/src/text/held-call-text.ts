import type { Text } from '../core/text.ts';

/** Summaries of the calls that may require approval, by method and path. */
export const HELD_CALL_TEXT: Record<string, Text> = {
  'POST /action/dcu-config/{id}/restart': { en: 'Restart a DCU', zh: '重启集中器' },
  'POST /asset/dcu/{id}/restart': { en: 'Restart a DCU', zh: '重启集中器' },
  'POST /action/dcu-config/{id}/factory': { en: 'Factory reset of a DCU', zh: '集中器恢复出厂' },
  'POST /action/dcu-config-order/write': { en: 'Write parameters of DCUs', zh: '写集中器参数' },
  'POST /asset/archive/clear': { en: 'Empty the archive of a DCU', zh: '清空集中器档案' },
  'POST /debug/sta/{mac}/restart': { en: 'Restart a station', zh: '重启站点' },
  'PUT /upgrade/firmware-key/{id}': { en: 'Replace or remove the key of a manufacturer', zh: '更换或移除厂商公钥' },
};
