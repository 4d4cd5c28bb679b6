import type { ProviderKind } from '@hes/contract/states/identity-provider.ts';
import { Alert, Button, Divider } from 'antd';
import { LogIn } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import type { useProvider } from './use-provider.ts';

interface ProviderButtonsProps {
  providers: readonly { id: string; name: string; kind: ProviderKind }[];
  /** The directory that judges name and password of the form; undefined: this system. */
  directory: string | undefined;
  onDirectory: (id: string | undefined) => void;
  provider: ReturnType<typeof useProvider>;
  /** Only the emergency account may sign in below. */
  isLocalOff: boolean;
}

/** A button for each identity provider, above the form of local accounts. */
export function ProviderButtons({ providers, provider, directory, onDirectory, isLocalOff }: ProviderButtonsProps) {
  const t = useMessages(messages);
  if (provider.isProved) return <Alert type="success" showIcon role="status" title={t('proved')} />;
  if (providers.length === 0) return null;
  const chosen = providers.find(({ id }) => id === directory);
  return (
    <>
      {providers.map(({ id, name, kind }) => (
        <Button
          key={id}
          block
          size="large"
          icon={<LogIn size={16} aria-hidden="true" />}
          loading={provider.isBusy}
          aria-pressed={kind === 'ldap' ? directory === id : undefined}
          type={directory === id ? 'primary' : 'default'}
          onClick={() => (kind === 'ldap' ? onDirectory(directory === id ? undefined : id) : provider.start(id))}
        >
          {t('withProvider', { name })}
        </Button>
      ))}
      <Divider plain>{chosen ? t('withDirectory', { name: chosen.name }) : t(isLocalOff ? 'orEmergency' : 'orLocal')}</Divider>
    </>
  );
}
