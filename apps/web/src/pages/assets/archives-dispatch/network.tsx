import { archive } from '@hes/contract/asset/archive.ts';
import { idIn, type TreeNode } from '@hes/contract/asset/tree.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { texts } from './texts.ts';
import styles from './archives.module.css';

const BADGES = 500;

/** Number of rows to add to or delete from each DCU. */
function useBadges(): ReadonlyMap<string, number> {
  const query = useApiQuery(archive.summary, { query: { mismatched: 'true', size: BADGES }, refetchMs: 30_000 });
  return useMemo(() => new Map((query.data?.items ?? []).map((row) => [row.dcuId, row.pending + row.surplus])), [query.data]);
}

interface NetworkProps {
  /** The page chooses a DCU itself; a link with filters is about all of them. */
  isOpening: boolean;
  selected: string | undefined;
  onSelect: (node: TreeNode) => void;
}

/** The network, with the number of differences behind each DCU. */
export function Network({ isOpening, selected, onSelect }: NetworkProps) {
  const t = useMessages(texts);
  const badges = useBadges();
  const badge = ({ kind, key }: TreeNode) => {
    const count = kind === 'dcu' ? badges.get(idIn('dcu', key)) : undefined;
    return count ? (
      <span className={styles['badge']} title={t('badge', { count })}>
        {count}
      </span>
    ) : null;
  };
  return (
    <Panel label={t('network')} className={styles['tree']}>
      <NodeTree until="dcu" {...(isOpening ? { opens: 'dcu' } : {})} selected={selected} onSelect={onSelect} badge={badge} />
    </Panel>
  );
}
