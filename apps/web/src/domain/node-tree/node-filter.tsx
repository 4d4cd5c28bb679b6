import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { Network, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { Skeleton } from '#kit/basics/states.tsx';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import { messages } from './messages.ts';
import type { Until } from './use-tree.ts';
import styles from './node-tree.module.css';

/** The tree loads only when the filter is opened. */
const NodeTree = lazy(async () => ({ default: (await import('./node-tree.tsx')).NodeTree }));

interface NodeChoice {
  node: NodeKey | undefined;
  /** Label of the node, for a page that is opened by its address. */
  nodeName: string | undefined;
}

interface NodeFilterProps extends NodeChoice {
  until: Until;
  onChange: (choice: NodeChoice) => void;
}

/** Filters a page by a node of the network: the button shows the node, the tree opens below it. */
export function NodeFilter({ node, nodeName, until, onChange }: NodeFilterProps) {
  const t = useMessages(messages);
  const [open, setOpen] = useState(false);
  const { data: me } = useMe();
  const everything = t(me?.scope.kind === 'nodes' ? 'ownArea' : 'wholeNetwork');
  return (
    <span className={styles['filter']}>
      <WithPopup
        trigger={['click']}
        placement="bottomLeft"
        open={open}
        onOpenChange={setOpen}
        content={
          <div className={styles['below']}>
            <Suspense fallback={<Skeleton lines={8} />}>
              <NodeTree
                until={until}
                selected={node}
                onSelect={({ key, title }) => {
                  setOpen(false);
                  onChange({ node: key, nodeName: title });
                }}
              />
            </Suspense>
          </div>
        }
      >
        <PlainButton icon={<Network size={14} aria-hidden="true" />} aria-haspopup="dialog">
          {node === undefined ? everything : (nodeName ?? t('partOfNetwork'))}
        </PlainButton>
      </WithPopup>
      {node === undefined ? null : (
        <PlainButton
          look="text"
          aria-label={everything}
          icon={<X size={14} aria-hidden="true" />}
          onClick={() => onChange({ node: undefined, nodeName: undefined })}
        />
      )}
    </span>
  );
}
