import { Button, Popover } from 'antd';
import { Network, X } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { Skeleton } from '#shared/ui/states.tsx';
import { DateFilter, NodeTree } from './late.tsx';
import { texts } from './texts.ts';
import { useChoice } from './use-cards.ts';
import styles from './cards.module.css';

/** Narrows every card to a part of the network and to a day. */
export function NodeFilter() {
  const t = useMessages(texts);
  const [url, setUrl] = useChoice();
  const [open, setOpen] = useState(false);
  return (
    <div className={styles['node']}>
      <Popover
        trigger="click"
        placement="bottomLeft"
        open={open}
        onOpenChange={setOpen}
        content={
          <div className={styles['tree']}>
            <Suspense fallback={<Skeleton lines={8} />}>
              <NodeTree
                until="dcu"
                selected={url.node}
                onSelect={(node) => {
                  setOpen(false);
                  setUrl({ node: node.key, nodeName: node.title });
                }}
              />
            </Suspense>
          </div>
        }
      >
        <Button icon={<Network size={14} aria-hidden="true" />} aria-haspopup="dialog">
          {url.node ? (url.nodeName ?? url.node) : t('wholeNetwork')}
        </Button>
      </Popover>
      {url.node ? (
        <Button
          type="text"
          aria-label={t('wholeNetwork')}
          icon={<X size={14} aria-hidden="true" />}
          onClick={() => setUrl({ node: undefined, nodeName: undefined })}
        />
      ) : null}
      <Suspense>
        <DateFilter />
      </Suspense>
    </div>
  );
}
