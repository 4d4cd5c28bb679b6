import type { AuditRow } from '@hes/contract/manager/audit.ts';
import { changesOf, factsOf, objectOf } from '@hes/contract/audit/render.ts';
import { ScrollText } from 'lucide-react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { CopyButton, Properties } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { actionText, entityText, texts, useSpeech } from './texts.ts';
import styles from './audit.module.css';

/** Details of an audit entry: user, action, origin, and fields before and after. */
export function DetailPane({ id, rows, select }: PaneProps<AuditRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const speech = useSpeech();
  const at = rows.findIndex((one) => one.id === id);
  const row = rows[at];
  if (row === undefined) return null;
  const facts = factsOf(row, speech);
  const changes = changesOf(row, speech);
  return (
    <SidePane label={t('entry', { id: row.id })}>
      <PaneHead
        icon={<ScrollText size={20} aria-hidden="true" />}
        title={say(actionText(row.action))}
        place={`${row.username ?? t('nobody')} · ${dateTime(row.at)}`}
        {...stepsOf(rows, id, select)}
      />
      <div className={styles['pane']}>
        <PaneSection title={t('properties')}>
          <Properties
            items={[
              { label: t('at'), value: dateTime(row.at) },
              { label: t('username'), value: row.username ?? t('nobody') },
              { label: t('name'), value: row.userName },
              { label: t('ip'), value: row.ip && <span className="mono">{row.ip}</span> },
              { label: t('entity'), value: say(entityText(row.entity)) },
              { label: t('object'), value: objectOf(row, speech.locale) },
              { label: t('entityId'), value: row.entityId && <span className="mono">{row.entityId}</span> },
            ]}
          />
        </PaneSection>
        {facts.length > 0 ? (
          <PaneSection title={t('detail')}>
            <table className={styles['diff']} aria-label={t('detail')}>
              <tbody>
                {facts.map(({ path, label, value }) => (
                  <tr key={path}>
                    <th scope="row" title={path}>
                      {label}
                    </th>
                    <td>{value ?? '—'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </PaneSection>
        ) : null}
        {changes.length > 0 ? (
          <PaneSection title={t('changes')}>
            <table className={styles['diff']} aria-label={t('changes')}>
              <thead>
                <tr>
                  <th scope="col">{t('field')}</th>
                  <th scope="col">{t('before')}</th>
                  <th scope="col">{t('after')}</th>
                </tr>
              </thead>
              <tbody>
                {changes.map((change) => (
                  <tr key={change.path}>
                    <th scope="row" title={change.path}>
                      {change.label}
                    </th>
                    <td>{change.before === undefined ? '—' : <del>{change.before}</del>}</td>
                    <td>{change.after === undefined ? '—' : <ins>{change.after}</ins>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </PaneSection>
        ) : null}
        <PaneSection title={t('hash')}>
          <p className={`mono ${styles['hash']}`}>
            {row.hash} <CopyButton text={row.hash} />
          </p>
        </PaneSection>
      </div>
    </SidePane>
  );
}
