import { z } from 'zod';
import type { Text } from '../../core/text.ts';
import type { FeedKind } from '../feed.ts';

export type SettingValue = string | number | boolean;
type Values = Record<string, SettingValue>;

/** A control of the form. A record of texts gives the choices. */
export interface SenderField {
  label: Text;
  help?: Text;
  placeholder?: string;
  control: 'text' | 'code' | 'lines' | 'number' | 'toggle' | Readonly<Record<string, Text>>;
  isRequired?: boolean;
}

/**
 * A way in which items leave, declared once: the form is drawn, a sender is checked and its secrets are sealed by it. The names of settings
 * and secrets are different. Kinds share a name only for the same meaning.
 */
export interface SenderKind<S extends z.ZodObject = z.ZodObject, K extends z.ZodObject = z.ZodObject> {
  name: Text;
  about: Text;
  settings: S;
  /** Sealed in the database and never returned. Each one that is optional has the default `''`. */
  secrets: K;
  /** Controls of all settings and secrets, in the order of the form. */
  fields: Readonly<Record<keyof z.output<S> | keyof z.output<K>, SenderField>>;
  /** Values of a new form. */
  start: z.input<S>;
  /** Receiver and place there in one line, for lists. */
  target: (settings: z.output<S>) => string;
  /** The system that gets the secrets. They must be entered again when it changes, or a user could send them elsewhere. */
  receiver: (settings: z.output<S>) => string;
  /** Contents for which this has a format. Absent: all. */
  contents?: (settings: z.output<S>) => readonly FeedKind[];
}

/** A kind whose own types are not known, as the form and the rules see it. */
export type AnySenderKind = Omit<SenderKind, 'target' | 'receiver' | 'contents' | 'start'> & {
  start: Values;
  target: (settings: Values) => string;
  receiver: (settings: Values) => string;
  contents?: (settings: Values) => readonly FeedKind[];
};

/** Declares a kind; its own types stay known to its implementation. */
export const senderKind = <S extends z.ZodObject, K extends z.ZodObject>(kind: SenderKind<S, K>): SenderKind<S, K> => kind;

const MAX_PORT = 65_535;
export const port = z.number().int().min(1).max(MAX_PORT);
/** Name or address of a host. */
export const hostName = z
  .string()
  .trim()
  .max(253)
  .regex(/^[A-Za-z0-9._:-]+$/);

const account = {
  username: z.string().trim().max(256).default(''),
};

/** Settings of kinds that open a connection to a broker. */
export const brokerSettings = {
  /** False only within networks that the installation permits. */
  isEncrypted: z.boolean().default(true),
  /** PEM certificates that are trusted in place of the public authorities; empty: those. */
  ca: z.string().trim().max(65_536).default(''),
  ...account,
  /** PEM certificate of the head-end, with those between it and its authority; empty: none is shown. */
  clientCertificate: z.string().trim().max(65_536).default(''),
};
export const brokerSecrets = {
  password: z.string().max(1024).default(''),
  /** PEM private key of the client certificate; not used without one. */
  clientKey: z.string().trim().max(16_384).default(''),
};

/** A broker with the way in which it is trusted: a change of the certificates could let another system in between. */
export const brokerOf = (place: string, { isEncrypted, ca }: { isEncrypted: boolean; ca: string }): string =>
  [place.toLowerCase(), isEncrypted, ca].join(' ');

export const HOST: SenderField = {
  label: { en: 'Host', zh: '主机' },
  help: {
    en: 'Addresses of internal networks must be permitted by HES_DELIVERY_NETWORKS.',
    zh: '内部网络地址须由 HES_DELIVERY_NETWORKS 允许。',
  },
  control: 'code',
  isRequired: true,
};
export const PORT: SenderField = { label: { en: 'Port', zh: '端口' }, control: 'number', isRequired: true };
export const brokerFields = {
  isEncrypted: {
    label: { en: 'TLS', zh: 'TLS 加密' },
    help: {
      en: 'May be switched off only within networks in HES_DELIVERY_NETWORKS.',
      zh: '仅在 HES_DELIVERY_NETWORKS 允许的网络内可以关闭。',
    },
    control: 'toggle',
  },
  ca: {
    label: { en: 'Trusted Certificates', zh: '受信任证书' },
    help: { en: 'PEM. Empty: the public certificate authorities.', zh: 'PEM 格式；留空则信任公共证书机构。' },
    control: 'lines',
  },
  username: { label: { en: 'User', zh: '用户' }, control: 'code' },
  password: {
    label: { en: 'Password', zh: '密码' },
    help: { en: 'Stored encrypted, and not shown again.', zh: '加密保存，不再显示。' },
    control: 'code',
  },
  clientCertificate: {
    label: { en: 'Client Certificate', zh: '客户端证书' },
    help: {
      en: 'PEM, for receivers that ask for one; with TLS only. Empty: none.',
      zh: 'PEM 格式，供要求客户端证书的接收方使用，仅限 TLS；留空则不提供。',
    },
    control: 'lines',
  },
  clientKey: {
    label: { en: 'Key Of The Client Certificate', zh: '客户端证书私钥' },
    help: {
      en: 'PEM without a passphrase. Stored encrypted, and not shown again.',
      zh: 'PEM 格式，无口令；加密保存，不再显示。',
    },
    control: 'lines',
  },
} as const satisfies Record<string, SenderField>;
