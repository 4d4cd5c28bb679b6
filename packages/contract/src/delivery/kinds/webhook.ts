import { z } from 'zod';
import { RULES } from '../../core/rules.ts';
import { senderKind } from './kind.ts';

const MIN_SECRET = 24;
const MAX_KEY = 64;
const KEY_PREFIX = 'whsec_';
const base64 = z.base64();
/**
 * Whether a secret can sign: any text of 24 characters, or, as in Standard Webhooks, `whsec_` and base64 of 24 to 64 octets.
 * Decoders skip characters that are no base64, so that a wrong secret would sign with an empty key.
 */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(KEY_PREFIX)) return text.length >= MIN_SECRET;
  const encoded = text.slice(KEY_PREFIX.length);
  const octets = (encoded.replace(/=+$/, '').length * 6) >> 3;
  return base64.safeParse(encoded).success && octets >= MIN_SECRET && octets <= MAX_KEY;
}

const webAddress = z.url({ protocol: /^https?$/ });
/** Addresses with user and password would show the password in every list. */
const isWebAddress = (text: string): boolean => webAddress.safeParse(text).success && !/^[^/?#]*\/\/[^/?#]*@/.test(text);

/** Batches of CloudEvents by HTTP, signed as Standard Webhooks says. */
export const webhook = senderKind({
  name: { en: 'Webhook', zh: 'Webhook' },
  about: {
    en: 'Each batch is a POST of CloudEvents 1.0.',
    zh: '每批以 CloudEvents 1.0 格式 POST。',
  },
  settings: z.object({ url: z.string().trim().max(2048).refine(isWebAddress, RULES.webAddress.en) }),
  secrets: z.object({ secret: z.string().trim().max(256).refine(isSigningSecret, RULES.senderSecret.en) }),
  fields: {
    url: {
      label: { en: 'Webhook URL', zh: '推送地址' },
      help: {
        en: 'Addresses of internal networks must be permitted by HES_DELIVERY_NETWORKS.',
        zh: '内部网络地址须由 HES_DELIVERY_NETWORKS 允许。',
      },
      placeholder: 'https://',
      control: 'code',
      isRequired: true,
    },
    secret: {
      label: { en: 'Signing Secret', zh: '签名密钥' },
      help: {
        en: 'At least 24 characters, the same as at the receiver, which checks each message by it (Standard Webhooks). It is not shown again.',
        zh: '至少 24 个字符，与接收方一致，用于校验每条消息（Standard Webhooks），保存后不再显示。',
      },
      control: 'code',
      isRequired: true,
    },
  },
  start: { url: '' },
  target: ({ url }) => url,
  receiver: ({ url }) => /^https?:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? url,
});
