import { z } from 'zod';
import type { Text } from '../../core/text.ts';
import { folder } from './folder.ts';
import { kafka } from './kafka.ts';
import type { AnySenderKind } from './kind.ts';
import { mqtt } from './mqtt.ts';
import { nats } from './nats.ts';
import { sftp } from './sftp.ts';
import { webhook } from './webhook.ts';

/** The kinds of senders. A kind is added here and in the kinds of the server. */
export const SENDER_KINDS = { webhook, kafka, mqtt, nats, folder, sftp } as const;
export type SenderKindName = keyof typeof SENDER_KINDS;

// as: an object literal has exactly these keys
export const senderKindName = z.enum(Object.keys(SENDER_KINDS) as [SenderKindName, ...SenderKindName[]]);

/** A kind as the form and the rules see it. */
// as: its functions are called with settings that its own schema has read
export const kindOf = (name: SenderKindName): AnySenderKind => SENDER_KINDS[name] as unknown as AnySenderKind;

export const SENDER_KIND_TEXT = Object.fromEntries(senderKindName.options.map((name) => [name, SENDER_KINDS[name].name])) as Record<
  SenderKindName,
  Text
>; // as: each kind has a name

/** The secrets of a kind in a change: one that is empty or absent stays as it is stored. */
const secretsIn = ({ secrets }: AnySenderKind, isNew: boolean): z.ZodObject =>
  isNew
    ? secrets
    : z.object(Object.fromEntries(Object.entries(secrets.shape).map(([name, rule]) => [name, z.union([z.literal(''), rule]).default('')])));

/** Schema of the settings and secrets of a sender, as the form has them side by side. */
export const kindForm = (name: SenderKindName, isNew: boolean): z.ZodObject =>
  z.object({ ...kindOf(name).settings.shape, ...secretsIn(kindOf(name), isNew).shape });

/** Settings and secrets apart, as routes take them. */
export function partsOf(name: SenderKindName, values: Record<string, unknown>) {
  const { settings, secrets } = kindOf(name);
  const pick = (shape: object) => Object.fromEntries(Object.keys(shape).map((key) => [key, values[key]]));
  // as: the schema of the kind has read the values
  return {
    settings: pick(settings.shape) as Record<string, string | number | boolean>,
    secrets: pick(secrets.shape) as Record<string, string>,
  };
}
