import { to } from '@hes/contract/page/links.ts';
import { DELIVERED_ROLES } from '@hes/contract/text/roles.ts';
import { firmware } from '@hes/contract/upgrade/firmware.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { Tabs } from 'antd';
import { useSearchParams } from 'react-router';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { jobsList } from './jobs-list.tsx';
import { keysList } from './keys-list.tsx';
import { libraryList } from './library-list.tsx';
import { texts } from './messages.ts';
import { NewUpgrade } from './new-upgrade.tsx';
import styles from './upgrade.module.css';

function AllRecords() {
  const t = useMessages(texts);
  return <LinkButton to={to.upgradeRecords()}>{t('allRecords')}</LinkButton>;
}

/** Names the role that adds firmware, for a user who cannot; the empty list says so itself. */
function WhoAdds({ count }: { count: number }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  if (count === 0 || may(firmware.create)) return null;
  return <p className={styles['muted']}>{t('mayNotAdd', { role: say(DELIVERED_ROLES.FW_ENGINEER.name) })}</p>;
}

/** Firmware files, and the upgrades that use them. */
export default function FirmwareUpgradePage() {
  const t = useMessages(texts);
  const may = useMay();
  const [search, setSearch] = useSearchParams();
  useTopic('upgrade');
  const tabs = [
    { key: 'library', label: t('library') },
    ...(may(upgradeJob.create) ? [{ key: 'new', label: t('newUpgrade') }] : []),
    { key: 'jobs', label: t('jobs') },
    { key: 'keys', label: t('keys') },
  ];
  const tab = tabs.find(({ key }) => key === search.get('tab'))?.key ?? 'library';
  return (
    <div className={styles['page']}>
      {/* The filters of a list are not those of another. */}
      <Tabs className={styles['tabs'] ?? ''} activeKey={tab} onChange={(next) => setSearch({ tab: next })} items={tabs} />
      <div className={styles['tab']}>
        {tab === 'library' ? <ListScreen list={libraryList} before={({ rows }) => <WhoAdds count={rows.length} />} /> : null}
        {tab === 'new' ? <NewUpgrade /> : null}
        {tab === 'jobs' ? <ListScreen list={jobsList} head={() => <AllRecords />} /> : null}
        {tab === 'keys' ? <ListScreen list={keysList} /> : null}
      </div>
    </div>
  );
}
