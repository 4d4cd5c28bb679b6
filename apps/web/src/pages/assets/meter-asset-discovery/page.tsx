import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Tabs } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { assetList } from './asset-list.tsx';
import { SearchTab } from './search-tab.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const DEFAULTS = { tab: 'assets' } as const;

/** The meters of the inventory, and the discovered meters of the network. */
export default function MeterAssetDiscovery() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.meterAssets, DEFAULTS);
  const isSearch = url.tab === 'search';
  return (
    <div className={styles['page']}>
      <Tabs
        className={styles['tabs'] ?? ''}
        activeKey={url.tab}
        onChange={(tab) => setUrl({ tab: tab === 'search' ? tab : 'assets' })}
        items={[
          { key: 'assets', label: t('assetsTab') },
          { key: 'search', label: t('searchTab') },
        ]}
      />
      {isSearch ? (
        <SearchTab />
      ) : (
        <div className={styles['tab']}>
          <ListScreen list={assetList} />
        </div>
      )}
    </div>
  );
}
