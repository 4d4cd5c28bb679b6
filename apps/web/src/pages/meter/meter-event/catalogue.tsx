import { event, type EventCode, type EventRow } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT, type EventLog } from '@hes/contract/states/event.ts';
import { Button, Drawer, Select } from 'antd';
import { BookOpen, Pencil, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useReload } from '#core/api/use-reload.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { OwnClicks } from '#kit/table/row-actions.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { DIRECTION, LEVEL } from '#domain/states/event-tables.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { CodeForm, NEW_CODE } from './code-form.tsx';
import { texts } from './texts.ts';
import styles from './event.module.css';

const SIZE = 860;
const LOGS = Object.keys(EVENT_LOG_TEXT) as EventLog[]; // keys of that very object

interface CatalogueProps {
  /** A code to open for naming or editing. */
  start?: Partial<EventCode>;
  onClose: () => void;
}

export function CatalogueButton() {
  const t = useMessages(texts);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<BookOpen size={15} aria-hidden="true" />} onClick={() => setOpen(true)}>
        {t('catalogue')}
      </Button>
      {isOpen ? <Catalogue onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** The catalogue with the form of the code of an event. */
export const NameCode = ({ row: { log, code }, onClose }: DialogProps<EventRow>) => <Catalogue start={{ log, code }} onClose={onClose} />;

/** All codes of a log: names in both languages, level, and the code that ends the event. */
function Catalogue({ start, onClose }: CatalogueProps) {
  const reload = useReload(event.list);
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [log, setLog] = useState<EventLog>(start?.log ?? 'standard');
  const [edited, setEdited] = useState<EventCode | undefined>(start && { ...NEW_CODE, ...start });
  const codes = useApiQuery(event.codes);
  const columns = useMemo(
    (): Column<EventCode>[] => [
      { key: 'code', title: t('code'), width: 88, align: 'right', value: (row) => row.code, cell: (row) => row.code },
      { key: 'nameEn', title: t('nameEn'), cell: (row) => <span title={row.nameEn}>{row.nameEn}</span> },
      { key: 'nameZh', title: t('nameZh'), width: 170, cell: (row) => row.nameZh },
      {
        key: 'level',
        title: t('level'),
        width: 116,
        cell: (row) => <StateOf sign={LEVEL[(row.enabled ? row.abnormalLevel : null) ?? 'none']} />,
      },
      { key: 'direction', title: t('direction'), width: 100, cell: (row) => <StateOf sign={DIRECTION[row.direction]} /> },
      { key: 'pair', title: t('endedBy'), width: 84, align: 'right', cell: (row) => row.pairCode ?? '—' },
      ...(may(event.saveCode)
        ? [
            {
              key: 'edit',
              title: <span className="visually-hidden">{t('edit')}</span>,
              width: 60,
              cell: (row: EventCode) => (
                <OwnClicks>
                  <Button
                    type="text"
                    size="small"
                    aria-label={t('editCode', { code: String(row.code) })}
                    icon={<Pencil size={14} aria-hidden="true" />}
                    onClick={() => setEdited(row)}
                  />
                </OwnClicks>
              ),
            },
          ]
        : []),
    ],
    [t, may],
  );
  return (
    <Drawer
      open
      size={SIZE}
      title={t('catalogue')}
      onClose={onClose}
      extra={
        <span className={styles['tools']}>
          <Select
            aria-label={t('log')}
            className={styles['select'] ?? ''}
            value={log}
            options={LOGS.map((value) => ({ value, label: say(EVENT_LOG_TEXT[value]) }))}
            onChange={(value) => setLog(value)}
          />
          {may(event.saveCode) ? (
            <Button icon={<Plus size={14} aria-hidden="true" />} onClick={() => setEdited({ ...NEW_CODE, log })}>
              {t('addCode')}
            </Button>
          ) : null}
        </span>
      }
    >
      <PanelState query={codes} lines={14}>
        {({ items }) => (
          <DataTable
            label={t('catalogue')}
            columns={columns}
            rows={items.filter((row) => row.log === log)}
            rowKey={(row) => `${row.log}:${row.code}`}
          />
        )}
      </PanelState>
      {edited ? (
        <CodeForm
          code={edited}
          siblings={(codes.data?.items ?? []).filter((row) => row.log === edited.log)}
          onClose={() => setEdited(undefined)}
          onDone={() => {
            setEdited(undefined);
            reload();
          }}
        />
      ) : null}
    </Drawer>
  );
}
