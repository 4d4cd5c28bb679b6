import { nodeOf } from '@hes/contract/asset/tree.ts';
import { Radio, Tag } from 'antd';
import { Network, UtilityPole } from 'lucide-react';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { chosenIn, pathsTo, treeNodes, type AreaDraft, type ChosenNode } from './area.ts';
import { texts } from './texts.ts';
import styles from './role.module.css';

interface NetworkAreaProps {
  area: AreaDraft;
  onChange: (area: AreaDraft) => void;
  readOnly: boolean;
  isAdmin: boolean;
  /** The user tried to save without choosing one. */
  isMissing: boolean;
}

interface ChosenProps {
  nodes: ChosenNode[];
  readOnly: boolean;
  onRemove: (node: ChosenNode) => void;
}

/** The chosen nodes, including those in branches that are not loaded. */
function Chosen({ nodes, readOnly, onRemove }: ChosenProps) {
  const t = useMessages(texts);
  return (
    <ul className={styles['chosen']} aria-label={t('chosenNodes')}>
      {nodes.map((node) => {
        const Icon = nodeOf(node.key).kind === 'level' ? Network : UtilityPole;
        const title = node.title ?? t('outsideNode');
        return (
          <li key={node.key}>
            <Tag
              closable={readOnly ? false : { 'aria-label': t('removeNode', { name: title }) }}
              onClose={(event) => {
                event.preventDefault();
                onRemove(node);
              }}
              icon={<Icon size={13} aria-hidden="true" />}
            >
              <span className={styles['node']}>
                <span>
                  {node.above.length > 0 ? (
                    <span className={styles['dim']}>{`${node.above.map((level) => level.title).join(' / ')} / `}</span>
                  ) : null}
                  {title}
                </span>
                <span className={styles['dim']}>{t('areaMeters', { count: node.meters, meters: figure(node.meters) })}</span>
              </span>
            </Tag>
          </li>
        );
      })}
    </ul>
  );
}

/** The network area of a role: none, the whole network, or some nodes with everything below them. */
export function NetworkArea({ area, onChange, readOnly, isAdmin, isMissing }: NetworkAreaProps) {
  const t = useMessages(texts);
  const setNodes = (nodes: ChosenNode[]) => onChange({ ...area, nodes });
  const [paths] = useState(() => pathsTo(area.nodes));
  const problem = area.kind === undefined ? t('chooseArea') : t('chooseNodes');
  return (
    <div className={styles['area']}>
      <Radio.Group
        vertical
        aria-label={t('networkArea')}
        disabled={readOnly || isAdmin}
        value={area.kind}
        options={[
          { value: 'none', label: t('noArea') },
          { value: 'whole', label: t('wholeNetwork') },
          { value: 'nodes', label: t('onlyArea') },
        ]}
        onChange={(event) => onChange({ ...area, kind: event.target.value })}
      />
      {isAdmin ? <p className={styles['hint']}>{t('adminKeeps')}</p> : null}
      {isMissing ? (
        <p className={styles['hint']} role="alert" data-missing>
          {problem}
        </p>
      ) : area.kind === undefined ? (
        <p className={styles['hint']}>{t('areaHint')}</p>
      ) : null}
      {area.kind === 'nodes' ? (
        <>
          <p className={styles['hint']} role="status">
            {t('areaCount', { count: area.nodes.length })}
          </p>
          <Chosen nodes={area.nodes} readOnly={readOnly} onRemove={(node) => setNodes(area.nodes.filter(({ key }) => key !== node.key))} />
          <div className={styles['tree']} inert={readOnly}>
            <NodeTree
              isExact
              paths={paths}
              until="transformer"
              checked={treeNodes(area.nodes)}
              onCheck={(ticked) => setNodes(chosenIn(ticked, area.nodes))}
            />
          </div>
        </>
      ) : null}
    </div>
  );
}
