import { session, type OwnSession } from '@hes/contract/auth/session.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { queryKeyOf, useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { browserOf } from '#domain/browser/browser-name.ts';
import { messages } from '#app/messages.ts';
import styles from './profile.module.css';

/** The sign-in sessions of the user, and the way to end an unknown one. */
export function OwnSessions() {
  const t = useMessages(messages);
  const queries = useQueryClient();
  const list = useApiQuery(session.list);
  const reload = () => void queries.invalidateQueries({ queryKey: queryKeyOf(session.list) });
  const end = useApiMutation(session.end, { success: reload, failure: reload });
  const endOthers = useApiMutation(session.endOthers, { success: reload, failure: reload });
  const rows = list.data?.items ?? [];
  const nameOf = (row: OwnSession) => [browserOf(row.agent) ?? t('unknownBrowser'), row.ip].filter(Boolean).join(', ');
  return (
    <section className={styles['sessions']} aria-label={t('sessions')}>
      <h3>{t('sessions')}</h3>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <span className={styles['session']}>
              <b>{nameOf(row)}</b>
              <span>{t('sessionTimes', { from: dateTime(row.issuedAt), used: dateTime(row.lastUsedAt) })}</span>
            </span>
            {row.isCurrent ? (
              <span className={styles['current']}>{t('thisSession')}</span>
            ) : (
              <Button
                size="small"
                danger
                loading={end.isPending && end.variables.params?.id === row.id}
                aria-label={`${t('endSession')}: ${nameOf(row)}, ${dateTime(row.issuedAt)}`}
                onClick={() => end.mutate({ params: { id: row.id } })}
              >
                {t('endSession')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {rows.length > 1 ? (
        <Button size="small" danger loading={endOthers.isPending} onClick={() => endOthers.mutate({})}>
          {t('endOtherSessions')}
        </Button>
      ) : null}
    </section>
  );
}
