import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived, with the headers that tests compare. */
export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  messageId: string;
  text: string;
  html: string;
  raw: string;
  isSecure: boolean;
  user: string | undefined;
}

const decodeQuoted = (body: string): string => {
  const octets = body
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString();
};

function decode(part: string): string {
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const encoding = /content-transfer-encoding: *(\S+)/i.exec(head)?.[1]?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? decodeQuoted(body) : body;
}

const decodeWords = (header: string): string =>
  header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?q\?(.*?)\?=/gi, (_, word: string) => decodeQuoted(word.replaceAll('_', ' ')))
    .replaceAll(/=\?utf-8\?b\?(.*?)\?=/gi, (_, word: string) => Buffer.from(word, 'base64').toString());

function parse(raw: string): Pick<ReceivedMail, 'subject' | 'messageId' | 'text' | 'html'> {
  const [head = ''] = raw.split('\r\n\r\n');
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? '';
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? '';
  const parts = raw.split(`--${boundary}`).slice(1);
  const partOf = (type: string) => decode(parts.find((part) => part.toLowerCase().includes(`content-type: ${type}`)) ?? '');
  return {
    subject: decodeWords(header('Subject')),
    messageId: header('Message-ID'),
    text: partOf('text/plain'),
    html: partOf('text/html'),
  };
}

/** An answer that refuses, as an error with an SMTP code. */
export const smtpError = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode });

/** A real mail server on a port of this machine, whose answers the test decides. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Called for each message before it is accepted. */
  judge: (mail: ReceivedMail) => Error | undefined = () => undefined;
  readonly #server: SMTPServer;
  port = 0;

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
      onAuth: ({ username, password }, _session, callback) =>
        password === 'right' ? callback(null, { user: username ?? '' }) : callback(smtpError(535, 'Wrong password')),
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString();
          const { mailFrom, rcptTo } = session.envelope;
          const mail: ReceivedMail = {
            ...parse(raw),
            raw,
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
            user: typeof session.user === 'string' ? session.user : undefined,
          };
          const refusal = this.judge(mail);
          if (refusal === undefined) this.received.push(mail);
          callback(refusal ?? null);
        });
      },
      ...options,
    });
    this.#server.on('error', () => undefined);
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.port = (this.#server.server.address() as AddressInfo).port; // as: a TCP server
    return this;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
