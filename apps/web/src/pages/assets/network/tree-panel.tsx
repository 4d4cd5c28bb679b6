import { LEVEL_TYPE_TEXT, levelType, MAX_LEVEL_DEPTH, type LevelRow, type LevelType } from '@hes/contract/asset/level.ts';
import { Input, Select, Tree } from 'antd';
import { FilePlus2, Network, Search } from 'lucide-react';
import { useState } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { choicesOf } from '#kit/form/form-fields.tsx';
import { DRAFT_KEY, mayGoInto, placeOf, treeOf, type Draft, type LevelNode } from './level-tree.ts';
import { texts } from './messages.ts';
import styles from './network.module.css';

interface TreePanelProps {
  levels: LevelRow[];
  draft: Draft | undefined;
  selected: string | undefined;
  mayMove: boolean;
  onSelect: (id: string) => void;
  onMove: (level: LevelRow, place: { parentId: string | null; beforeId: string | null }) => void;
}

function Title({ node }: { node: LevelNode }) {
  const t = useMessages(texts);
  if (!node.level)
    return (
      <span className={styles['node']} data-draft>
        <FilePlus2 size={14} aria-hidden="true" />
        {t('newLevel')}
        <em>{t('unsaved')}</em>
      </span>
    );
  const { name, isWithin, transformers, dcus, meters } = node.level;
  const counts = [
    [t('transformers'), transformers],
    [t('dcus'), dcus],
    [t('meters'), meters],
  ] as const;
  return (
    <span className={styles['node']} data-beyond={isWithin ? undefined : ''} title={isWithin ? node.level.code : t('beyond')}>
      <Network size={14} aria-hidden="true" />
      <span className={styles['name']}>{name}</span>
      <span className={styles['count']} title={counts.map(([word, count]) => `${word} ${figure(count)}`).join(' · ')}>
        {counts.map(([, count]) => figure(count)).join(' · ')}
      </span>
    </span>
  );
}

/** All levels. Dragging moves a level with its descendants. */
export function TreePanel({ levels, draft, selected, mayMove, onSelect, onMove }: TreePanelProps) {
  const t = useMessages(texts);
  const say = useSay();
  const [search, setSearch] = useState('');
  const [type, setType] = useState<LevelType>();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  // Filters do not hide a draft.
  const isNarrowed = !draft && (search !== '' || type !== undefined);
  const nodes = treeOf(levels, draft, isNarrowed ? { search, type } : { search: '' });
  const byId = new Map(levels.map((level) => [level.id, level]));
  const open = levels.filter((level) => isNarrowed || !closed.has(level.id) || level.id === draft?.parentId).map((level) => level.id);
  return (
    <div className={styles['treeBox']}>
      <Input
        allowClear
        prefix={<Search size={14} aria-hidden="true" />}
        placeholder={t('search')}
        aria-label={t('search')}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <Select
        allowClear
        placeholder={t('type')}
        aria-label={t('type')}
        value={type}
        options={choicesOf(LEVEL_TYPE_TEXT, say)}
        onChange={(value: string | undefined) => setType(levelType.safeParse(value).data)}
      />
      <div className={styles['scroll']}>
        <Tree<LevelNode>
          blockNode
          aria-label={t('levels')}
          treeData={nodes}
          expandedKeys={open}
          selectedKeys={draft ? [DRAFT_KEY] : selected ? [selected] : []}
          draggable={mayMove && !draft ? { icon: false, nodeDraggable: (node) => byId.get(String(node.key))?.isWithin ?? false } : false}
          titleRender={(node) => <Title node={node} />}
          onExpand={(keys) => {
            const shown = new Set(keys.map(String));
            setClosed(new Set(levels.filter((level) => !shown.has(level.id)).map((level) => level.id)));
          }}
          onSelect={(_, { node }) => onSelect(node.key)}
          allowDrop={({ dragNode, dropNode, dropPosition }) => {
            const moved = byId.get(dragNode.key);
            const target = byId.get(dropNode.key);
            if (!moved || !target) return false;
            const parent = dropPosition === 0 ? target : byId.get(target.parentId ?? '');
            return mayGoInto(levels, moved, parent, MAX_LEVEL_DEPTH);
          }}
          onDrop={({ dragNode, node, dropToGap, dropPosition }) => {
            const moved = byId.get(dragNode.key);
            const target = byId.get(node.key);
            if (!moved || !target) return;
            // `dropPosition` counts from the index of the node: a smaller value means before it.
            const at = Number(node.pos.split('-').at(-1));
            onMove(moved, placeOf(levels, moved.id, target, !dropToGap ? 'into' : dropPosition < at ? 'before' : 'behind'));
          }}
        />
      </div>
      {mayMove ? <p className={styles['hint']}>{t('moveHint')}</p> : null}
    </div>
  );
}
