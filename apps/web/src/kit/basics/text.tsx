import { Check, Copy } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure, grouped } from '#core/time/number.ts';
import styles from './text.module.css';

/** A number with its unit: grouped, in tabular figures; a dash for a missing value. */
export function Num({
  value,
  decimals = 0,
  unit,
  strong,
}: {
  value: number | null | undefined;
  decimals?: number;
  unit?: string;
  strong?: boolean;
}) {
  if (value === null || value === undefined) return <span className={styles['none']}>—</span>;
  return (
    <span className={strong ? styles['strong'] : undefined} data-value={value}>
      {figure(value, decimals)}
      {unit ? <span className={styles['unit']}> {unit}</span> : null}
    </span>
  );
}

/** A serial number in groups of four. */
export const Sn = ({ sn }: { sn: string }) => <span className={`mono ${styles['sn']}`}>{grouped(sn)}</span>;

const SHOWN_MS = 1500;

export function CopyButton({ text }: { text: string }) {
  const t = useMessages(common);
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button type="button" className={styles['copy']} aria-label={`${t(copied ? 'copied' : 'copy')} ${text}`} onClick={copy}>
      {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
    </button>
  );
}

export interface Property {
  label: string;
  value: ReactNode;
  /** Takes a full line: for values longer than half of the pane. */
  wide?: boolean;
}

/** A list of properties: label on the left, value on the right. */
export function Properties({ items }: { items: Property[] }) {
  return (
    <dl className={styles['properties']}>
      {items.map((item) => (
        <div key={item.label} className={item.wide ? styles['wide'] : undefined}>
          <dt>{item.label}</dt>
          <dd>{item.value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A row of figures separated by thin lines. */
export function Figures({ items }: { items: { label: string; value: ReactNode; note?: ReactNode }[] }) {
  return (
    <dl className={styles['figures']}>
      {items.map((item) => (
        <div key={item.label}>
          <dt>{item.label}</dt>
          <dd>{item.value}</dd>
          {item.note ? <dd className={styles['note']}>{item.note}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
