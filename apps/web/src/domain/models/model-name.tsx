import { modelName } from '@hes/contract/text/reference-models.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { texts } from '#kit/basics/record.messages.ts';
import styles from '#kit/basics/tags.module.css';

/** The name of a supplier or type, and whether it is built in. */
export function ModelName({ row }: { row: { name: string; isBuiltin: boolean } }) {
  const t = useMessages(texts);
  const name = useSay()(modelName(row.name));
  return (
    <span title={row.isBuiltin ? `${name} · ${t('builtIn')}` : name}>
      {name}
      {row.isBuiltin ? <span className={`${styles['tag']} ${styles['origin']}`}>{t('builtIn')}</span> : null}
    </span>
  );
}
