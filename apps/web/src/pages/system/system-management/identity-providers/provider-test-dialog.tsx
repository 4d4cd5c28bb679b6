import { fill } from '@hes/contract/core/text.ts';
import { identityProvider, type ProviderRow } from '@hes/contract/manager/identity-provider.ts';
import { PROVIDER_FAILURE_TEXT } from '@hes/contract/states/identity-provider.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { TestDialog } from '#kit/dialog/test-dialog.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';

/** Reads metadata and keys of a provider, or binds to a directory and reads its search base. */
export function ProviderTestDialog({ row, onClose }: DialogProps<ProviderRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const isDirectory = row.kind === 'ldap';
  const test = useApiMutation(identityProvider.test);
  const { isReached, failure = null, detail } = test.data ?? {};
  return (
    <TestDialog
      title={t('testTitle', { name: row.name })}
      about={isDirectory ? t('testAboutDirectory', row) : t('testAbout', { issuer: row.issuer })}
      action={t('testNow')}
      test={test}
      success={isReached === true ? t(isDirectory ? 'testReachedDirectory' : 'testReached') : null}
      failure={failure === null ? null : say(fill(PROVIDER_FAILURE_TEXT[failure], { detail: detail ?? '' }))}
      onTest={() => test.mutate({ params: { id: row.id } })}
      onClose={onClose}
    />
  );
}
