import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
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

/** An address that the server did not accept. `isFinal`: another attempt has no sense. */
interface Refusal {
  address: string;
  answer: string;
  isFinal: boolean;
}

interface NotSent {
  isSent: false;
  failure: AlarmFailure;
  answer: string | null;
  isFinal: boolean;
  /** The message had left when the attempt ended without an answer. */
  isUncertain: boolean;
  refused: readonly Refusal[];
}

/** What a server did with a message. A message that was sent may have been refused for a part of its recipients. */
export type Sent = { isSent: true; answer: string; refused: readonly Refusal[] } | NotSent;

export const failed = (
  failure: AlarmFailure,
  answer: string | null = null,
  { isFinal = false, isUncertain = false, refused = [] }: Partial<Pick<NotSent, 'isFinal' | 'isUncertain' | 'refused'>> = {},
): Sent => ({ isSent: false, failure, answer: answer?.slice(0, ANSWER_CHARACTERS) ?? null, isFinal, isUncertain, refused });

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

/** Fields of the errors of nodemailer. */
interface SmtpError {
  responseCode?: number;
  response?: string;
  recipient?: string;
  rejectedErrors?: readonly SmtpError[];
}

/** The addresses that a server refused: for good by 5xx, for now by 4xx. */
const refusedIn = ({ rejectedErrors = [] }: SmtpError): Refusal[] =>
  rejectedErrors.map(({ recipient = '', response = '', responseCode = 0 }) => ({
    address: recipient.toLowerCase(),
    answer: response.slice(0, ANSWER_CHARACTERS),
    isFinal: responseCode >= 500,
  }));

/** `hasLeft`: the message was handed to the server completely. */
function judge(error: unknown, hasLeft: boolean): Sent {
  if (error instanceof AddressRefused) return failed('address_refused', error.address);
  const codes = codesOf(error);
  const answer = textOf(error);
  if (codes.some((code) => CERTIFICATE.test(code)) || /certificate/i.test(answer)) return failed('certificate', answer);
  const smtp = error as SmtpError; // as: errors of nodemailer have these fields
  const { responseCode, response } = smtp;
  const isUncertain = hasLeft && responseCode === undefined;
  const refused = refusedIn(smtp);
  if (codes.includes('EAUTH')) return failed('sign_in', response ?? answer);
  if (codes.includes('ETIMEDOUT')) return failed('timeout', answer, { isUncertain });
  if (responseCode !== undefined && responseCode >= 500) return failed('mail_refused', response ?? answer, { isFinal: true, refused });
  if (responseCode !== undefined && responseCode >= 400) return failed('mail_deferred', response ?? answer, { refused });
  return failed('unreachable', answer, { isUncertain });
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

/** Calls back when the server has taken the whole message; its answer follows. */
function whenLeft(transport: ReturnType<typeof transportFor>, done: () => void): void {
  transport.use('stream', ({ message }, next) => {
    message.transform(() => new PassThrough().once('end', done));
    next();
  });
}

/** Sends one mail over a connection of its own. Does not throw, and ends within a minute. */
export async function sendMail(server: MailServer, { thread, to, ...mail }: Mail): Promise<Sent> {
  if (to.length === 0) return failed('no_address', null, { isFinal: true });
  const refusal = refusalOf(server.host, server.security !== 'none', server.networks);
  if (refusal !== undefined) return failed(refusal.failure, refusal.detail);
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasLeft = false;
  try {
    socket = await openSocket(server);
    const transport = transportFor(server, socket);
    whenLeft(transport, () => (hasLeft = true));
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT' })), ALL_MS);
    });
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const sent = await Promise.race([transport.sendMail({ ...mail, to: [...to], references: thread, headers }), late]);
    return { isSent: true, answer: sent.response.slice(0, ANSWER_CHARACTERS), refused: refusedIn(sent) };
  } catch (error) {
    return judge(error, hasLeft);
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}
