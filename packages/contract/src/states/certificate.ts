import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** Owner of a certificate. */
export const CERTIFICATE_KINDS = ['device', 'head_end', 'authority'] as const;
export const certificateKind = z.enum(CERTIFICATE_KINDS);
export type CertificateKind = z.infer<typeof certificateKind>;

export const CERTIFICATE_KIND_TEXT: Record<CertificateKind, Text> = {
  device: { en: 'Device', zh: '设备' },
  head_end: { en: 'Head-end', zh: '主站' },
  authority: { en: 'Authority', zh: '证书颁发机构' },
};

/** Key usage. Only an authority has `certificate_sign`. */
export const CERTIFICATE_USAGES = ['digital_signature', 'key_agreement', 'certificate_sign'] as const;
export const certificateUsage = z.enum(CERTIFICATE_USAGES);
export type CertificateUsage = z.infer<typeof certificateUsage>;

export const CERTIFICATE_USAGE_TEXT: Record<CertificateUsage, Text> = {
  digital_signature: { en: 'Digital signature', zh: '数字签名' },
  key_agreement: { en: 'Key agreement', zh: '密钥协商' },
  certificate_sign: { en: 'Signs certificates', zh: '签发证书' },
};

/** Days before the end of a certificate from which it counts as expiring. */
export const EXPIRING_DAYS = 30;

/** `waiting`: a key pair of the head-end whose certificate has not been imported yet. */
export const CERTIFICATE_STATES = ['valid', 'expiring', 'expired', 'not_yet_valid', 'waiting'] as const;
export const certificateState = z.enum(CERTIFICATE_STATES);
export type CertificateState = z.infer<typeof certificateState>;

export const CERTIFICATE_STATE_TEXT: Record<CertificateState, Text> = {
  valid: { en: 'Valid', zh: '有效' },
  expiring: { en: 'Expires within 30 days', zh: '30天内到期' },
  expired: { en: 'Expired', zh: '已过期' },
  not_yet_valid: { en: 'Not valid yet', zh: '尚未生效' },
  waiting: { en: 'Waits for its certificate', zh: '等待证书' },
};

/** Suites with certificates. Suite 1 uses the curve P-256, suite 2 uses P-384. */
export const CERTIFICATE_SUITES = [1, 2] as const;
export type CertificateSuite = (typeof CERTIFICATE_SUITES)[number];
