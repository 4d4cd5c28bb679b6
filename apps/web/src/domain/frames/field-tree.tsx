import type { DecodedNode } from '@hes/contract/trace/trace.ts';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { Range } from './hex-view.tsx';
import { messages } from './messages.ts';
import styles from './frames.module.css';

interface FieldTreeProps {
  nodes: DecodedNode[];
  onMark: (range: Range | undefined, pin: boolean) => void;
  depth?: number;
}

/** Deeper branches and longer lists start closed: a profile has thousands of fields. */
const OPEN_TO_DEPTH = 4;
const OPEN_TO_COUNT = 24;

function Field({ node, onMark, depth }: { node: DecodedNode; onMark: FieldTreeProps['onMark']; depth: number }) {
  const t = useMessages(messages);
  const children = node.children ?? [];
  const [open, setOpen] = useState(depth < OPEN_TO_DEPTH && children.length <= OPEN_TO_COUNT);
  const range = { offset: node.offset, length: node.length };
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <li role="treeitem" aria-expanded={children.length > 0 ? open : undefined}>
      <div className={styles['field']} onMouseEnter={() => onMark(range, false)} onMouseLeave={() => onMark(undefined, false)}>
        {children.length > 0 ? (
          <button
            type="button"
            className={styles['toggle']}
            aria-label={t('open', { name: node.name })}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <Arrow size={12} aria-hidden="true" />
          </button>
        ) : (
          <span className={styles['toggle']} />
        )}
        <button
          type="button"
          className={styles['fieldName']}
          onClick={() => onMark(range, true)}
          onFocus={() => onMark(range, false)}
          onBlur={() => onMark(undefined, false)}
        >
          {node.name}
        </button>
        {node.value === undefined ? null : <span className={`mono ${styles['fieldValue']}`}>{node.value}</span>}
        <span className={styles['offset']}>
          {node.offset}+{node.length}
        </span>
      </div>
      {open && children.length > 0 ? <FieldTree nodes={children} onMark={onMark} depth={depth + 1} /> : null}
    </li>
  );
}

/** Decoded fields of an APDU as a tree. */
export function FieldTree({ nodes, onMark, depth = 0 }: FieldTreeProps) {
  const t = useMessages(messages);
  return (
    <ul className={styles['fields']} role={depth === 0 ? 'tree' : 'group'} aria-label={depth === 0 ? t('decoded') : undefined}>
      {nodes.map((node, index) => (
        <Field key={`${node.offset}-${index}`} node={node} onMark={onMark} depth={depth} />
      ))}
    </ul>
  );
}
