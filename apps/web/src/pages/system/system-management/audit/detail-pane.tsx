import type { AuditRow } from '@hes/contract/manager/audit.ts';
import { ScrollText } from 'lucide-react';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { dateTime } from '#shared/time/format.ts';
import { CopyButton, Properties } from '#shared/ui/text.tsx';
import { PaneHead, PaneSection, SidePane } from '#widgets/side-pane/side-pane.tsx';
import { changesOf, factsOf } from './changes.ts';
import { actionText, entityText, texts } from './texts.ts';
import styles from './audit.module.css';

interface DetailPaneProps {
  row: AuditRow;
  rows: AuditRow[];
  onSelect: (id: string | undefined) => void;
}

/** One entry: who, what, from where, and the fields before and after. */
export function DetailPane({ row, rows, onSelect }: DetailPaneProps) {
  const t = useMessages(texts);
  const say = useSay();
  const at = rows.indexOf(row);
  const before = rows[at - 1];
  const after = rows[at + 1];
  const changes = changesOf(row.detail);
  return (
    <SidePane label={t('entry', { id: row.id })}>
      <PaneHead
        icon={<ScrollText size={20} aria-hidden="true" />}
        title={say(actionText(row.action))}
        place={`${row.username ?? t('nobody')} · ${dateTime(row.at)}`}
        onPrevious={before && (() => onSelect(before.id))}
        onNext={after && (() => onSelect(after.id))}
        onClose={() => onSelect(undefined)}
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
              { label: t('entityId'), value: row.entityId && <span className="mono">{row.entityId}</span> },
              ...factsOf(row.detail).map(({ label, value }) => ({ label, value: <span title={value}>{value}</span> })),
            ]}
          />
        </PaneSection>
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
                  <tr key={change.field}>
                    <th scope="row">{change.field}</th>
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
