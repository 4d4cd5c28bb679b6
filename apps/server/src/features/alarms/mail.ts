import type { Socket } from 'node:net';
import nodemailer from 'nodemailer';
import type { AlarmFailure, MailSecurity } from '@hes/contract/states/alarm.ts';
import { AddressRefused, refusalOf } from '#platform/guarded-network.ts';
import { openGuardedSocket } from '#platform/guarded-socket.ts';

/** The mail server has this long for each answer, and for all of them. */
const ANSWER_MS = 15_000;
const ALL_MS = 60_000;
const ANSWER_CHARACTERS = 300;

export interface MailServer {
  host: string;
  port: number;
  security: MailSecurity;
  /** Empty: no sign-in. */
  username: string;
  password: string;
  /** Authority of the server's certificate in PEM; empty: those of the machine. */
  ca: string;
  /** Internal networks that may be reached. */
  networks: readonly string[];
}

export interface Mail {
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** The same for each attempt. */
  messageId: string;
  /** Message that all messages of the alarm belong to. */
  thread: string;
}

/** What a server did with a message. `isFinal`: another attempt has no sense. */
export type Sent = { isSent: true; answer: string } | { isSent: false; failure: AlarmFailure; answer: string | null; isFinal: boolean };

export const failed = (failure: AlarmFailure, answer: string | null = null, isFinal = false): Sent => ({
  isSent: false,
  failure,
  answer: answer?.slice(0, ANSWER_CHARACTERS) ?? null,
  isFinal,
});

/** The connection to the server, by the rules for receivers: a name is judged by its addresses when it is connected to. */
function openSocket({ host, port, security, networks }: MailServer): Promise<Socket> {
  // The encryption is that of the mail client.
  const socket = openGuardedSocket({ host, port, isEncrypted: false, isProtected: security !== 'none', ca: '', networks });
  socket.setTimeout(ANSWER_MS);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

const textOf = (value: unknown): string => (value instanceof Error ? value.message : String(value));
const CERTIFICATE = /^(?:CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT|HOSTNAME_MISMATCH)/;

/** Chain of causes of an error, with the codes that TLS and SMTP give. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let each: unknown = error; each instanceof Error; each = each.cause) if ('code' in each) codes.push(String(each.code));
  return codes;
}

function judge(error: unknown): Sent {
  if (error instanceof AddressRefused) return failed('address_refused', error.address);
  const codes = codesOf(error);
  const answer = textOf(error);
  if (codes.some((code) => CERTIFICATE.test(code)) || /certificate/i.test(answer)) return failed('certificate', answer);
  // as: errors of nodemailer have these fields
  const { responseCode, response } = error as { responseCode?: number; response?: string };
  if (codes.includes('EAUTH')) return failed('sign_in', response ?? answer);
  if (codes.includes('ETIMEDOUT')) return failed('timeout', answer);
  if (responseCode !== undefined && responseCode >= 500) return failed('mail_refused', response ?? answer, true);
  if (responseCode !== undefined && responseCode >= 400) return failed('mail_deferred', response ?? answer);
  return failed('unreachable', answer);
}

const transportFor = (server: MailServer, socket: Socket) =>
  nodemailer.createTransport({
    connection: socket,
    host: server.host,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    tls: { minVersion: 'TLSv1.2', ...(server.ca === '' ? {} : { ca: server.ca }) },
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    ...(server.username === '' ? {} : { auth: { user: server.username, pass: server.password } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** Sends one mail over a connection of its own. Does not throw, and ends within a minute. */
export async function sendMail(server: MailServer, { thread, to, ...mail }: Mail): Promise<Sent> {
  if (to.length === 0) return failed('no_address', null, true);
  const refusal = refusalOf(server.host, server.security !== 'none', server.networks);
  if (refusal !== undefined) return failed(refusal.failure, refusal.detail);
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    socket = await openSocket(server);
    const transport = transportFor(server, socket);
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT' })), ALL_MS);
    });
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const sent = await Promise.race([transport.sendMail({ ...mail, to: [...to], references: thread, headers }), late]);
    const refused = sent.rejected.map(String);
    const answer = `${sent.response}${refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`}`;
    return { isSent: true, answer: answer.slice(0, ANSWER_CHARACTERS) };
  } catch (error) {
    return judge(error);
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}
