import { Alert, Button, Divider } from 'antd';
import { LogIn } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import type { useProvider } from './use-provider.ts';

interface ProviderButtonsProps {
  providers: readonly { id: string; name: string }[];
  provider: ReturnType<typeof useProvider>;
  /** Only the emergency account may sign in below. */
  isLocalOff: boolean;
}

/** A button for each identity provider, above the form of local accounts. */
export function ProviderButtons({ providers, provider, isLocalOff }: ProviderButtonsProps) {
  const t = useMessages(messages);
  if (provider.isProved) return <Alert type="success" showIcon role="status" title={t('proved')} />;
  if (providers.length === 0) return null;
  return (
    <>
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          block
          size="large"
          icon={<LogIn size={16} aria-hidden="true" />}
          loading={provider.isBusy}
          onClick={() => provider.start(id)}
        >
          {t('withProvider', { name })}
        </Button>
      ))}
      <Divider plain>{t(isLocalOff ? 'orEmergency' : 'orLocal')}</Divider>
    </>
  );
}
