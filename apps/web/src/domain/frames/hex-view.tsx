import { memo } from 'react';
import styles from './frames.module.css';

export interface Range {
  offset: number;
  length: number;
}

const spaced = (hex: string): string => hex.replaceAll(/(..)(?=.)/g, '$1 ');

/** Octets as hex pairs; the range is highlighted. */
export const HexView = memo(function HexView({ hex, range, label }: { hex: string; range: Range | undefined; label: string }) {
  const from = range ? range.offset * 2 : 0;
  const to = range ? from + range.length * 2 : 0;
  return (
    <p className={`mono ${styles['hex']}`} aria-label={label} data-hex={hex}>
      {spaced(hex.slice(0, from))} {to > from ? <mark data-testid="marked-bytes">{spaced(hex.slice(from, to))}</mark> : null}{' '}
      {spaced(hex.slice(to))}
    </p>
  );
});
