import { securityKey, type OwnKey } from '@hes/contract/auth/security-key.ts';
import { Button } from 'antd';
import { KeyRound } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

interface SecurityKeysProps {
  onAdd: () => void;
  onRemove: (key: OwnKey) => void;
}

/** The security keys of the user, with their last use. */
export function SecurityKeys({ onAdd, onRemove }: SecurityKeysProps) {
  const t = useMessages(messages);
  const list = useApiQuery(securityKey.list);
  return (
    <section className={styles['keys']} aria-label={t('keys')}>
      <h3>{t('keys')}</h3>
      <p className={styles['note']}>{t('keysNote')}</p>
      <PanelState query={list} lines={2}>
        {({ keys, isPossible }) => (
          <>
            <ul className={styles['keyList']}>
              {keys.map((key) => (
                <li key={key.id}>
                  <span>
                    <b>{key.name}</b>
                    <span className={styles['note']}>
                      {t('keyAdded', { at: dateTime(key.addedAt) })}
                      {' · '}
                      {key.lastUsedAt === null ? t('keyUnused') : t('keyUsed', { at: dateTime(key.lastUsedAt) })}
                      {key.isUsable ? null : ` · ${t('keyElsewhere')}`}
                    </span>
                  </span>
                  <Button size="small" aria-label={t('removeNamed', { name: key.name })} onClick={() => onRemove(key)}>
                    {t('remove')}
                  </Button>
                </li>
              ))}
            </ul>
            {isPossible ? (
              <Button icon={<KeyRound size={15} aria-hidden="true" />} onClick={onAdd}>
                {t('addKey')}
              </Button>
            ) : (
              <p className={styles['note']}>{t('keysImpossible')}</p>
            )}
          </>
        )}
      </PanelState>
    </section>
  );
}
