import { idIn } from '@hes/contract/asset/tree.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { CapturePanel } from './capture-panel.tsx';
import { texts } from './messages.ts';
import { SourcePanel } from './source-panel.tsx';
import { SwitchPanel } from './switch-panel.tsx';
import styles from './switch.module.css';

/** Settings for reading and showing topologies, and orders that make a network form again. */
export default function NetworkTopologySwitch() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.topologySwitch);
  const [sn, setSn] = useState<string>();
  useTopic(url.dcu === undefined ? undefined : `topology:${url.dcu}`);
  return (
    <div className={styles['page']}>
      <h1 className="visually-hidden">{t('title')}</h1>
      <Panel label={t('network')} className={styles['tree']}>
        <NodeTree
          opens="dcu"
          until="dcu"
          selected={url.dcu ? `dcu:${url.dcu}` : undefined}
          onSelect={(node) => {
            if (node.kind !== 'dcu') return;
            setSn(node.title);
            setUrl({ dcu: idIn('dcu', node.key) });
          }}
        />
      </Panel>
      {url.dcu === undefined ? (
        <Panel label={t('title')}>
          <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />
        </Panel>
      ) : (
        <div className={styles['main']} key={url.dcu}>
          <div className={styles['pair']}>
            <CapturePanel dcuId={url.dcu} />
            <SourcePanel dcuId={url.dcu} />
          </div>
          <SwitchPanel dcuId={url.dcu} sn={sn ?? ''} />
        </div>
      )}
    </div>
  );
}
