import { fillTemplate } from '@hes/contract/alarm/template.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { alarmFailure, type AlarmFailure } from '@hes/contract/states/alarm.ts';
import type { SenderFailure } from '@hes/contract/states/sender.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { Context } from '#db/context.ts';
import { DeliveryFailed, postSigned } from '#features/deliveries/port.ts';
import type { GuardedHttp } from '#platform/guarded-http.ts';
import { purposeOf, type StoredChannel } from './channel-queries.ts';
import { write, type Content } from './compose.ts';
import { signLink } from './link.ts';
import { failed, sendMail, type Sent } from './mail.ts';
import type { Recipient } from './message-queries.ts';
import { addressOf } from './outcomes.ts';

/** Secrets of a channel, sealed together. */
export interface ChannelSecret {
  /** Address of a webhook. */
  url: string;
  /** Password of the mail server, or value of the header Authorization; empty: none. */
  secret: string;
  /** Signs the calls of a webhook as those of senders. */
  key: string;
}

export interface Outlet {
  ctx: Pick<Context, 'secrets' | 'clock'>;
  client: GuardedHttp;
  networks: readonly string[];
}

export interface Outgoing {
  content: Content;
  recipients: readonly Recipient[];
  locale: Locale;
  messageId: string;
  /** Undefined: a test. */
  alarmId: string | undefined;
}

/** A connection that ended after the request, as the system says it. */
const LOST_ANSWER = /hang up|ECONNRESET/;

/** A failure of the shared webhook client in the words of alarms. */
function failureOf(failure: SenderFailure): AlarmFailure {
  const known = alarmFailure.safeParse(failure);
  return known.success ? known.data : 'internal';
}

export const openSecret = ({ secrets }: Pick<Context, 'secrets'>, channel: StoredChannel): ChannelSecret =>
  JSON.parse(secrets.open(channel.secret, purposeOf(channel)).toString());

function linkOf({ ctx }: Outlet, { config }: StoredChannel, { alarmId, content }: Outgoing): string {
  if (config.consoleUrl === '' || alarmId === undefined) return '';
  const page = `${config.consoleUrl.replace(/\/+$/, '')}${PAGE_PATH.alarms}`;
  return content.isAlarm ? `${page}?ack=${signLink(ctx.secrets, alarmId)}` : page;
}

async function postMail(outlet: Outlet, channel: StoredChannel, outgoing: Outgoing): Promise<Sent> {
  const { config } = channel;
  const { title, text, html } = write(outgoing.content, outgoing.locale, linkOf(outlet, channel, outgoing));
  const domain = config.from.split('@').at(-1) ?? 'hes';
  const server = { ...config, password: openSecret(outlet.ctx, channel).secret, networks: outlet.networks };
  return sendMail(server, {
    from: config.from,
    to: outgoing.recipients.flatMap(({ email }) => (email === null ? [] : [email])),
    subject: title,
    text,
    html,
    messageId: `<${outgoing.messageId}@${domain}>`,
    thread: `<alarm-${outgoing.alarmId ?? 'test'}.${channel.ref}@${domain}>`,
  });
}

async function postWebhook(outlet: Outlet, channel: StoredChannel, outgoing: Outgoing): Promise<Sent> {
  const { content, locale, messageId, recipients } = outgoing;
  const { url, secret, key } = openSecret(outlet.ctx, channel);
  const link = linkOf(outlet, channel, outgoing);
  const { title, text } = write(content, locale, '');
  const [first] = recipients;
  const { level, rule, code, meters, since } = content.facts;
  const body = fillTemplate(channel.config.template, {
    title,
    text,
    rule,
    code,
    since,
    link,
    messageId,
    level: say(level, locale),
    meters: String(meters),
    recipient: first === undefined ? '' : (addressOf('webhook', first) ?? ''),
  });
  const headers: Record<string, string> = secret === '' ? {} : { authorization: secret };
  const message = { id: messageId, at: outlet.ctx.clock.now(), contentType: 'application/json; charset=utf-8', body };
  await postSigned(outlet.client, { url, secret: key, networks: outlet.networks, headers, ...message });
  return { isSent: true, answer: 'HTTP 2xx', refused: [] };
}

/** Sends one message by its channel. Does not throw. */
export async function postMessage(outlet: Outlet, channel: StoredChannel, outgoing: Outgoing): Promise<Sent> {
  try {
    return await (channel.kind === 'email' ? postMail : postWebhook)(outlet, channel, outgoing);
  } catch (error) {
    if (error instanceof DeliveryFailed) {
      const isUncertain = error.failure === 'timeout' || LOST_ANSWER.test(error.detail ?? '');
      return failed(failureOf(error.failure), error.detail, { isFinal: error.failure === 'refused', isUncertain });
    }
    return failed('internal', error instanceof Error ? error.message : String(error));
  }
}
