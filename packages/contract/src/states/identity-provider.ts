import { z } from 'zod';
import type { Text } from '../core/text.ts';

export const providerKind = z.enum(['oidc', 'ldap']);
export type ProviderKind = z.infer<typeof providerKind>;
export const PROVIDER_KIND_TEXT: Record<ProviderKind, Text> = {
  oidc: { en: 'OpenID Connect', zh: 'OpenID Connect' },
  ldap: { en: 'Directory (LDAP)', zh: '目录服务 (LDAP)' },
};

/** Where a directory keeps the groups of a person. */
export const groupSource = z.enum(['attribute', 'search', 'nested']);
export const GROUP_SOURCE_TEXT: Record<z.infer<typeof groupSource>, Text> = {
  attribute: { en: 'In an attribute of the person', zh: '用户条目的属性' },
  search: { en: 'In entries of groups (member)', zh: '组条目 (member)' },
  nested: { en: 'In entries of groups, also through other groups (Active Directory)', zh: '组条目，含嵌套组 (Active Directory)' },
};

export const providerState = z.enum(['running', 'off']);
export type ProviderState = z.infer<typeof providerState>;

/** Why an identity provider could not be used. */
export const providerFailure = z.enum([
  'address_refused',
  'not_encrypted',
  'timeout',
  'unreachable',
  'invalid_answer',
  'refused',
  'changed_outside',
]);
export type ProviderFailure = z.infer<typeof providerFailure>;
export const PROVIDER_FAILURE_TEXT: Record<ProviderFailure, Text> = {
  address_refused: {
    en: 'The address {detail} is in an internal network. Permit it by HES_DELIVERY_NETWORKS',
    zh: '地址 {detail} 位于内部网络，须在 HES_DELIVERY_NETWORKS 中允许',
  },
  not_encrypted: {
    en: 'Without encryption only networks of HES_DELIVERY_NETWORKS are reached',
    zh: '未加密时仅可访问 HES_DELIVERY_NETWORKS 中的网络',
  },
  timeout: { en: 'No answer within 10 seconds', zh: '10秒内无响应' },
  unreachable: { en: 'Not reachable: {detail}', zh: '无法连接：{detail}' },
  invalid_answer: { en: 'The answer is not valid: {detail}', zh: '响应无效：{detail}' },
  refused: { en: 'The provider refused: {detail}', zh: '身份提供方拒绝：{detail}' },
  changed_outside: {
    en: 'Changed outside the product. Check its settings and save them again',
    zh: '在系统外被更改，请核对设置并重新保存',
  },
};
