import { NodeFilter } from '#domain/node-tree/node-filter.tsx';
import { DateFilter } from './date-filter.tsx';
import { useChoice } from './use-cards.ts';
import styles from './cards.module.css';

/** Filters all cards by a part of the network and by a day. */
export function Choice() {
  const [{ node, nodeName }, setUrl] = useChoice();
  return (
    <div className={styles['node']}>
      <NodeFilter node={node} nodeName={nodeName} until="dcu" onChange={setUrl} />
      <DateFilter />
    </div>
  );
}
