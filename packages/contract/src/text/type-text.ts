import type { Text } from '../core/text.ts';

const words = <const T extends Record<string, Text>>(table: T): T => table;

export const PROTOCOL_TEXT = words({
  dlms_wrapper: { en: 'DLMS wrapper/TCP', zh: 'DLMS wrapper/TCP' },
  dlms_hdlc: { en: 'DLMS HDLC/TCP', zh: 'DLMS HDLC/TCP' },
});

export const AUTHENTICATION_TEXT = words({
  none: { en: 'None', zh: '无' },
  low: { en: 'Low (password, weak)', zh: '低级（密码，较弱）' },
  high: { en: 'High (AES, mechanism 2)', zh: '高级（AES，机制2）' },
  hls_md5: { en: 'HLS-MD5', zh: 'HLS-MD5' },
  hls_sha1: { en: 'HLS-SHA1', zh: 'HLS-SHA1' },
  hls_gmac: { en: 'HLS-GMAC', zh: 'HLS-GMAC' },
  hls_sha256: { en: 'HLS-SHA256', zh: 'HLS-SHA256' },
  hls_ecdsa: { en: 'HLS-ECDSA', zh: 'HLS-ECDSA' },
});

export const DOWNLINK_TEXT = words({
  plc: { en: 'PLC', zh: '电力线载波' },
  rf: { en: 'RF', zh: '微功率无线' },
  rs485: { en: 'RS-485', zh: 'RS-485' },
});

/** Features of a DCU other than forwarding; pages that depend on one state it. */
export const FEATURE_TEXT = words({
  gateway: { en: 'Gateway', zh: '网关转发' },
  cache: { en: 'Cache', zh: '数据缓存' },
  discovery: { en: 'Discovery', zh: '搜表' },
  topology: { en: 'Topology', zh: '拓扑' },
  phase: { en: 'Phase', zh: '相位识别' },
  rt_upgrade: { en: 'RT upgrade', zh: '路由升级' },
  sta_upgrade: { en: 'STA upgrade', zh: 'STA升级' },
  tasks: { en: 'Tasks', zh: '任务' },
  frame_log: { en: 'Frame log', zh: '报文日志' },
});

/** Peculiarities of meters that the head-end must respect. */
export const METER_QUIRK_TEXT = words({
  range_without_deviation: { en: 'Range without deviation', zh: '时间范围不带偏差' },
  no_block_get: { en: 'No block GET', zh: '不支持分块读取' },
  single_attribute_only: { en: 'Single attribute only', zh: '仅支持单属性读取' },
  ldn_short: { en: 'Short LDN', zh: '短逻辑设备名' },
});

export const SECURITY_SUITE_TEXT = words({
  0: { en: '0 · AES-128', zh: '0 · AES-128' },
  1: { en: '1 · AES-128, P-256', zh: '1 · AES-128，P-256' },
  2: { en: '2 · AES-256, P-384', zh: '2 · AES-256，P-384' },
});

export const CIPHERING_TEXT = words({
  by_mechanism: { en: 'After GMAC or ECDSA', zh: 'GMAC 或 ECDSA 认证后' },
  always: { en: 'Always', zh: '始终' },
  never: { en: 'Never', zh: '从不' },
});

export const KEY_AGREEMENT_TEXT = words({
  none: { en: 'Stored keys', zh: '存储的密钥' },
  one_pass: { en: 'Agreed, one-pass', zh: '协商密钥（单次）' },
  static: { en: 'Agreed, static keys', zh: '协商密钥（静态）' },
});

export const ASSOCIATION_TEXT = words({
  negotiated: { en: 'Negotiated', zh: '协商建立' },
  pre_established: { en: 'Pre-established', zh: '预建立' },
});

export const ADDRESSING_TEXT = words({
  logical: { en: 'Logical names', zh: '逻辑名' },
  short: { en: 'Short names', zh: '短名' },
});
