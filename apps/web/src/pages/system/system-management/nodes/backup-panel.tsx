import { backup, type BackupState } from '@hes/contract/manager/backup.ts';
import { Alert } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';
import styles from './nodes.module.css';

const STATE_MS = 10_000;
const MINUTE_MS = 60_000;

/** How old the backups of the built-in database are, and what is wrong with them. */
export function BackupPanel() {
  const t = useMessages(texts);
  const state = useApiQuery(backup.get, { refetchMs: STATE_MS });
  return (
    <Panel title={t('backups')}>
      <PanelState query={state}>{(found) => <Backups state={found} />}</PanelState>
    </Panel>
  );
}

function Backups({ state }: { state: BackupState }) {
  const t = useMessages(texts);
  const locale = usePreferences(({ locale: chosen }) => chosen);
  const now = useNow(MINUTE_MS);
  if (state.kind !== 'on') return <p className={styles['help']}>{t(state.kind === 'off' ? 'backupOff' : 'backupExternal')}</p>;
  const age = (at: string) => ageOf(at, now, locale);
  const ago = (at: string | null) => (at === null ? t('backupNone') : t('ago', { age: age(at) }));
  return (
    <>
      {state.failure !== null && <Alert showIcon type="error" title={t('backupFails', { failure: state.failure })} />}
      {state.archiveFailedSince !== null && (
        <Alert showIcon type="error" title={t('archiveFails', { age: age(state.archiveFailedSince) })} />
      )}
      {state.isTooOld && <Alert showIcon type="error" title={t('backupTooOld')} />}
      <dl className={styles['facts']}>
        <dt>{t('backupNewest')}</dt>
        <dd>{ago(state.newestAt)}</dd>
        <dt title={t('backupVerifiedHint')}>{t('backupVerified')}</dt>
        <dd>{ago(state.verifiedAt)}</dd>
        <dt>{t('backupFolder')}</dt>
        <dd>{state.folder}</dd>
      </dl>
    </>
  );
}
