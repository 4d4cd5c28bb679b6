import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { Radio } from 'antd';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { NodeTree } from '#widgets/node-tree/node-tree.tsx';
import { texts } from './texts.ts';
import styles from './role.module.css';

/** Levels a role is limited to; undefined: the whole network. */
export type Area = Map<string, TreeNode> | undefined;

/** A stored level before the tree has shown it. */
const unseen = (id: string): TreeNode => ({
  key: `level:${id}`,
  kind: 'level',
  id,
  title: id,
  parentKey: null,
  isLeaf: false,
  meters: 0,
  onlineStatus: null,
});

export const areaOf = (levelIds: readonly string[]): Area =>
  levelIds.length === 0 ? undefined : new Map(levelIds.map((id) => [`level:${id}`, unseen(id)]));

interface NetworkAreaProps {
  area: Area;
  onChange: (area: Area) => void;
  readOnly: boolean;
  isAdmin: boolean;
}

/** The part of the network in which the role may act. */
export function NetworkArea({ area, onChange, readOnly, isAdmin }: NetworkAreaProps) {
  const t = useMessages(texts);
  return (
    <div className={styles['area']}>
      <Radio.Group
        vertical
        aria-label={t('networkArea')}
        disabled={readOnly || isAdmin}
        value={area === undefined ? 'all' : 'some'}
        options={[
          { value: 'all', label: t('wholeNetwork') },
          { value: 'some', label: t('onlyArea') },
        ]}
        onChange={(event) => onChange(event.target.value === 'all' ? undefined : new Map())}
      />
      {isAdmin ? <p className={styles['hint']}>{t('adminKeeps')}</p> : null}
      {area === undefined ? null : (
        <>
          <p className={styles['hint']} role={area.size === 0 ? 'alert' : 'status'} data-missing={area.size === 0 || undefined}>
            {area.size === 0 ? t('selectNode') : t('areaCount', { count: area.size })}
          </p>
          <div className={styles['tree']} inert={readOnly}>
            <NodeTree until="level" checked={area} onCheck={onChange} />
          </div>
        </>
      )}
    </div>
  );
}
