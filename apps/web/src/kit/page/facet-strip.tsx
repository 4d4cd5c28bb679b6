import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { figure, percent } from '#core/time/number.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { counted, type Sign } from '#kit/state/sign.ts';
import styles from './facet-strip.module.css';

interface FacetStripProps {
  label: string;
  all: string;
  total: number | undefined;
  /** False: the server stopped counting at the limit, which is shown instead. */
  isExact?: boolean | undefined;
  facets: { key: string; sign: Sign; count: number | undefined }[];
  selected: string | undefined;
  onSelect: (key: string | undefined) => void;
}

/** The most used filter of a list with its counts; a click filters. */
export function FacetStrip({ label, all, total, isExact = true, facets, selected, onSelect }: FacetStripProps) {
  const say = useSay();
  const upTo = (count: number) => figure(count) + (!isExact && count >= COUNT_LIMIT ? '+' : '');
  return (
    <div className={styles['strip']} role="group" aria-label={label}>
      <button type="button" aria-pressed={selected === undefined} onClick={() => onSelect(undefined)}>
        <span>{all}</span>
        <b data-value={total}>{total === undefined ? '—' : upTo(total)}</b>
      </button>
      {facets.map((facet) => (
        <button
          key={facet.key}
          type="button"
          aria-pressed={selected === facet.key}
          onClick={() => onSelect(selected === facet.key ? undefined : facet.key)}
        >
          <span>
            <Glyph shape={facet.sign.shape} tone={counted(facet.sign, facet.count).tone} size={14} />
            {say(facet.sign.text)}
          </span>
          <b data-value={facet.count}>{facet.count === undefined ? '—' : upTo(facet.count)}</b>
          <small>{facet.count !== undefined && total && isExact ? `${percent(facet.count, total, 1)} %` : null}</small>
        </button>
      ))}
    </div>
  );
}
