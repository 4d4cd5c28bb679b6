import { dcu, type DcuDetail } from '@hes/contract/asset/dcu.ts';
import { to } from '@hes/contract/page/links.ts';
import { Alert } from 'antd';
import { useState } from 'react';
import { useReload } from '#core/api/use-reload.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { installationList } from '#domain/installation/installation-import.tsx';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { texts } from './texts.ts';
import styles from './detail.module.css';

/** What follows the registration of a DCU: its meters, from a file or from a search. */
export function NextStep({ detail }: { detail: DcuDetail }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const reload = useReload(dcu.list);
  // It stays after the import, whose result leads to the dispatch.
  const [isOffered] = useState(detail.meters === 0);
  if (!isOffered) return null;
  const { routes, what, hint, Next } = installationList;
  const list = { routes, what: say(what), ...(hint ? { hint: say(hint) } : {}), ...(Next ? { Next } : {}) };
  return (
    <Alert
      type="info"
      showIcon
      className={styles['alert'] ?? ''}
      title={t('nextMeters')}
      description={
        <span className={styles['nextStep']}>
          <ImportButton lists={[list]} label={t('importMeters')} onImported={reload} />
          {may(dcu.create) ? (
            <LinkButton to={to.connect({ kind: 'dcu', id: detail.id, step: 'meters' })}>{t('searchMeters')}</LinkButton>
          ) : null}
        </span>
      }
    />
  );
}
