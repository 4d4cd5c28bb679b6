import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Segmented } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { bindDcus, setMaster } from './actions.ts';
import { transformerList } from './list.tsx';
import { texts } from './messages.ts';
import { NetworkPanel } from './network-panel.tsx';
import { OnSelected } from './on-selected.tsx';
import { TransformerMap } from './place-picker.tsx';
import styles from './transformer.module.css';

const VIEW = { view: 'table' } as const;
const VIEWS = ['table', 'map'] as const;

export default function TransformerPage() {
  const t = useMessages(texts);
  const list = useList(transformerList);
  const [{ view }, setView] = useUrl(PAGE_WORDS.transformers, VIEW);
  const { url, setUrl, filter } = list;
  return (
    <div className={styles['page']}>
      <NetworkPanel list={list} />
      <div className={styles['list']}>
        <ListView
          list={list}
          head={() => [bindDcus, setMaster].map((action) => <OnSelected key={action.key} list={list} action={action} />)}
          filters={() => (
            <Segmented
              aria-label={t('view')}
              value={view}
              options={VIEWS.map((value) => ({ value, label: t(value) }))}
              onChange={(next) => setView({ view: next })}
            />
          )}
          instead={() =>
            view === 'map' ? (
              <TransformerMap key={filter.node} node={filter.node} selected={url['sel']} onSelect={(sel) => setUrl({ sel })} />
            ) : undefined
          }
        />
      </div>
    </div>
  );
}
