import { OBIS_CATEGORIES, OBIS_CATEGORY_TEXT } from '@hes/contract/states/obis.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';
import styles from './obis.module.css';

interface CategoriesProps {
  counts: Record<string, number> | undefined;
  selected: string | undefined;
  onSelect: (category: string | undefined) => void;
}

/** Kinds of objects with their counts; a click filters. */
export function Categories({ counts, selected, onSelect }: CategoriesProps) {
  const t = useMessages(texts);
  const say = useSay();
  const total = counts === undefined ? undefined : Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <div className={styles['categories']} role="group" aria-label={t('category')}>
      <button type="button" aria-pressed={selected === undefined} onClick={() => onSelect(undefined)}>
        {t('allCategories')} <b data-value={total}>{total ?? '—'}</b>
      </button>
      {OBIS_CATEGORIES.map((category) => (
        <button
          key={category}
          type="button"
          aria-pressed={selected === category}
          onClick={() => onSelect(selected === category ? undefined : category)}
        >
          {say(OBIS_CATEGORY_TEXT[category])} <b data-value={counts?.[category] ?? 0}>{counts?.[category] ?? 0}</b>
        </button>
      ))}
    </div>
  );
}
