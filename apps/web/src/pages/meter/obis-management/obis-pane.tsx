import { pick } from '@hes/contract/core/text.ts';
import { obis, type ObisRow } from '@hes/contract/reading/obis.ts';
import { OBIS_ACCESS_TEXT, OBIS_CATEGORY_TEXT, OBIS_DECODER_TEXT, OBIS_KIND_TEXT } from '@hes/contract/states/obis.ts';
import { BookOpen } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime } from '#core/time/format.ts';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
import { texts } from './messages.ts';

/** The details of an object of the dictionary. */
export function ObisPane({ id, rows, select, buttonsOf }: PaneProps<ObisRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  const query = useApiQuery(obis.get, { params: { id } });
  return (
    <RecordPane<ObisRow>
      id={id}
      rows={rows}
      query={query}
      label={query.data?.key ?? t('title')}
      icon={<BookOpen size={20} aria-hidden="true" />}
      head={(row) => ({
        title: pick({ en: row.nameEn, zh: row.nameZh }, locale),
        place: row.obis,
        state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
      })}
      actions={buttonsOf}
      properties={(row) => [
        { label: t('key'), value: <span className="mono">{row.key}</span> },
        { label: t('category'), value: say(OBIS_CATEGORY_TEXT[row.category]) },
        { label: t('classId'), value: String(row.classId) },
        { label: t('attribute'), value: `${say(OBIS_KIND_TEXT[row.kind])} ${row.attribute}` },
        { label: t('dataType'), value: row.dataType },
        { label: t('unit'), value: row.unitSymbol || t('noUnit') },
        { label: t('scaler'), value: row.scaler === null ? null : String(row.scaler) },
        { label: t('precision'), value: String(row.precision) },
        { label: t('access'), value: row.access.map((letter) => say(OBIS_ACCESS_TEXT[letter])).join(', ') },
        { label: t('decoder'), value: say(OBIS_DECODER_TEXT[row.decoder]) },
        { label: t('usedBy'), value: <span title={row.templates.join(', ')}>{row.templates.join(', ') || '—'}</span> },
        { label: t('unsupportedOn'), value: row.unsupportedOn.join(', ') || '—' },
        { label: t('plans'), value: <span title={row.plans.join(', ')}>{row.plans.join(', ') || '—'}</span> },
        { label: t('builtin'), value: row.isBuiltin ? '✓' : '—' },
        { label: t('updated'), value: dateTime(row.updatedAt) },
      ]}
      onSelect={select}
    />
  );
}
