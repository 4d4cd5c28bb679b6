import { meter as meters } from '@hes/contract/asset/meter.ts';
import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { PlugZap, Printer } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { NodeFilter } from '#domain/node-tree/node-filter.tsx';
import { ListPage } from '#kit/page/list-page.tsx';
import { CustomerStatus } from './customer-sheet.tsx';
import { DcuStatus } from './dcu-sheet.tsx';
import { FindDevice } from './find-device.tsx';
import { InstallDrawer } from './install-drawer.tsx';
import { MeterStatus } from './meter-status.tsx';
import { texts } from './messages.ts';
import { TransformerStatus } from './transformer-sheet.tsx';
import { WhereToLook } from './where-to-look.tsx';
import styles from './status.module.css';

function StatusOf({ node, customer }: { node: NodeKey | undefined; customer: string | undefined }) {
  const asked = node === undefined ? undefined : nodeOf(node);
  if (asked?.kind === 'meter') return <MeterStatus key={asked.id} id={asked.id} />;
  if (asked?.kind === 'dcu') return <DcuStatus key={asked.id} id={asked.id} />;
  if (asked?.kind === 'transformer') return <TransformerStatus key={asked.id} id={asked.id} />;
  if (customer !== undefined) return <CustomerStatus key={customer} no={customer} />;
  return <WhereToLook />;
}

/** One page about one device or the supply of one customer: what it is, whether it is well, why not, and what to do. */
export default function StatusPage() {
  const t = useMessages(texts);
  const may = useMay();
  const [isInstalling, setInstalling] = useState(false);
  const [{ node, customer }, setUrl] = useUrl(PAGE_WORDS.status);
  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          {may(meters.install) ? (
            <Button icon={<PlugZap size={15} aria-hidden="true" />} onClick={() => setInstalling(true)}>
              {t('install')}
            </Button>
          ) : null}
          <FindDevice onFound={(next) => setUrl({ node: next, customer: undefined })} />
          <NodeFilter
            until="meter"
            node={node}
            nodeName={t('other')}
            onChange={({ node: next }) => setUrl({ node: next, customer: undefined })}
          />
          <Button
            icon={<Printer size={15} aria-hidden="true" />}
            disabled={node === undefined && customer === undefined}
            onClick={() => window.print()}
          >
            {t('print')}
          </Button>
        </>
      }
    >
      <div className={styles['sheet']}>
        <StatusOf node={node} customer={customer} />
      </div>
      {isInstalling ? (
        <InstallDrawer
          onClose={() => setInstalling(false)}
          onDone={(id) => {
            setInstalling(false);
            setUrl({ node: `meter:${id}`, customer: undefined });
          }}
        />
      ) : null}
    </ListPage>
  );
}
