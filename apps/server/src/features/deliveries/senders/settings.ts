import { kindOf, type SenderKindName } from '@hes/contract/delivery/kinds/every-kind.ts';
import type { Context } from '#db/context.ts';
import { ApiError, type FieldIssue } from '#platform/api-error.ts';
import type { z } from 'zod';
import { implementationOf, openSecrets } from './connections.ts';
import { purposeOf, type SenderFields, type StoredSender } from './queries.ts';

/** Errors of a schema at the fields of the form. */
const issuesOf = (error: z.ZodError): FieldIssue[] => error.issues.map(({ path, message }) => ({ field: String(path[0] ?? ''), message }));

/** Settings as the schema of the kind reads them; refuses wrong ones, and contents for which the kind has no format. */
export function checkSender(kind: SenderKindName, { settings, contents }: Pick<SenderFields, 'settings' | 'contents'>) {
  const declared = kindOf(kind);
  const parsed = declared.settings.safeParse(settings);
  if (!parsed.success) throw new ApiError('VALIDATION', {}, issuesOf(parsed.error));
  const read = parsed.data as StoredSender['settings']; // as: kinds have settings of these types alone
  const permitted = declared.contents?.(read) ?? contents;
  if (contents.some((content) => !permitted.includes(content))) throw new ApiError('VALIDATION', {}, 'contents');
  return read;
}

/** Seals secrets; refuses wrong ones. */
export function sealSecrets(
  { secrets }: Pick<Context, 'secrets'>,
  sender: Pick<StoredSender, 'kind' | 'ref'>,
  given: Record<string, string>,
): Buffer {
  const parsed = implementationOf(sender).declared.secrets.safeParse(given);
  if (!parsed.success) throw new ApiError('VALIDATION', {}, issuesOf(parsed.error));
  return secrets.seal(Buffer.from(JSON.stringify(parsed.data)), purposeOf(sender));
}

/**
 * The sealed secrets of a sender after a change. Those that were not entered stay, except those of another receiver: the change would hand
 * them to it.
 */
export function changeSecrets(
  ctx: Pick<Context, 'secrets'>,
  stored: StoredSender,
  settings: StoredSender['settings'],
  entered: Record<string, string>,
): Buffer {
  const { receiver } = implementationOf(stored).declared;
  const isMoved = receiver(settings) !== receiver(stored.settings);
  const given = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== ''));
  if (!isMoved && Object.keys(given).length === 0) return stored.secret;
  const kept = openSecrets(ctx, stored);
  const missing = Object.keys(kept).find((name) => kept[name] !== '' && given[name] === undefined);
  if (isMoved && missing !== undefined) throw new ApiError('SECRETS_OF_RECEIVER', {}, missing);
  return sealSecrets(ctx, stored, { ...kept, ...given });
}
