import { nodeOf } from '@hes/contract/asset/tree.ts';
import { Tag } from 'antd';
import { Network, UtilityPole } from 'lucide-react';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { chosenIn, pathsTo, treeNodes, type ChosenNode } from './chosen-nodes.ts';
import { messages } from './messages.ts';
import styles from './network-area.module.css';

interface ChosenProps {
  nodes: ChosenNode[];
  readOnly: boolean;
  onRemove: (node: ChosenNode) => void;
}

/** The chosen nodes, including those in branches that are not loaded. */
function Chosen({ nodes, readOnly, onRemove }: ChosenProps) {
  const t = useMessages(messages);
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

interface AreaNodesProps {
  nodes: ChosenNode[];
  onChange: (nodes: ChosenNode[]) => void;
  readOnly?: boolean;
}

/** Chooses levels and transformers of a network area in the tree; those chosen are listed above it. */
export function AreaNodes({ nodes, onChange, readOnly = false }: AreaNodesProps) {
  const t = useMessages(messages);
  const [paths] = useState(() => pathsTo(nodes));
  return (
    <>
      <p className={styles['hint']} role="status">
        {t('areaCount', { count: nodes.length })}
      </p>
      <Chosen nodes={nodes} readOnly={readOnly} onRemove={(node) => onChange(nodes.filter(({ key }) => key !== node.key))} />
      <div className={styles['tree']} inert={readOnly}>
        <NodeTree
          isExact
          paths={paths}
          until="transformer"
          checked={treeNodes(nodes)}
          onCheck={(ticked) => onChange(chosenIn(ticked, nodes))}
        />
      </div>
    </>
  );
}
