import type { OpenOrder } from '@hes/contract/action/device-order.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { openOrderTexts } from './messages.ts';
import styles from '#kit/state/state-of.module.css';

/** Marks a state that is older than an open order; a click opens the order. */
export function OpenOrderMark({ order, onOpen }: { order: OpenOrder | null; onOpen?: ((taskId: string) => void) | undefined }) {
  const t = useMessages(openOrderTexts);
  if (order === null) return null;
  const mark = (
    <>
      <Glyph shape="arc" tone="run" size={12} />
      {t('orderRunning')}
    </>
  );
  return onOpen === undefined ? (
    <span className={styles['order']} title={t('beforeOrder')}>
      {mark}
    </span>
  ) : (
    <button
      type="button"
      className={styles['order']}
      title={t('beforeOrder')}
      onClick={(event) => {
        event.stopPropagation();
        onOpen(order.taskId);
      }}
    >
      {mark}
    </button>
  );
}
