import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { Tabs } from 'antd';
import { useMay } from '#shared/api/may.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { useUrlState } from '#shared/table/url-state.ts';
import { KeysTab } from './keys-tab.tsx';
import { JobsTab } from './jobs-tab.tsx';
import { LibraryTab } from './library-tab.tsx';
import { texts } from './messages.ts';
import { NewUpgrade } from './new-upgrade.tsx';
import styles from './upgrade.module.css';

const DEFAULTS = { tab: 'library' };

/** Firmware files, and the upgrades that use them. */
export default function FirmwareUpgradePage() {
  const t = useMessages(texts);
  const may = useMay();
  const [url, setUrl] = useUrlState(DEFAULTS);
  useTopic('upgrade');
  const tabs = [
    { key: 'library', label: t('library') },
    ...(may(upgradeJob.create) ? [{ key: 'new', label: t('newUpgrade') }] : []),
    { key: 'jobs', label: t('jobs') },
    { key: 'keys', label: t('keys') },
  ];
  const tab = tabs.find(({ key }) => key === url.tab)?.key ?? 'library';
  return (
    <div className={styles['page']}>
      <Tabs className={styles['tabs'] ?? ''} activeKey={tab} onChange={(next) => setUrl({ tab: next })} items={tabs} />
      <div className={styles['tab']}>
        {tab === 'new' ? <NewUpgrade /> : tab === 'jobs' ? <JobsTab /> : tab === 'keys' ? <KeysTab /> : <LibraryTab />}
      </div>
    </div>
  );
}
