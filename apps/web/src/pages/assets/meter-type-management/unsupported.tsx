import {
  METERS_THAT_TEACH,
  meterType as routes,
  TAUGHT_DAYS,
  type MeterTypeRow,
  type UnsupportedRow,
} from '@hes/contract/asset/meter-type.ts';
import { App, Button, Drawer } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Empty, Failure, PanelState } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';
import styles from './type.module.css';

const LEARNT: Sign = { shape: 'unlink', tone: 'amber', text: texts.notAsked };
const SUSPECTED: Sign = { ...ITEM.waiting, text: texts.stillAsked };

/** Objects that meters of a type reported as unsupported, with an action to request them again. */
export function Unsupported({ row: type, onClose }: DialogProps<MeterTypeRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const params = { id: type.id };
  const query = useApiQuery(routes.unsupported, { params });
  const forget = useApiMutation(routes.forgetUnsupported, {
    success: () => {
      void message.success(t('forgotten'));
      void query.refetch();
    },
  });
  const forgetButton = (label: string, rows: UnsupportedRow[]) =>
    may(routes.forgetUnsupported) ? (
      <Button
        size="small"
        loading={forget.isPending}
        onClick={() => forget.mutate({ params, body: { objects: rows.map(({ object }) => object) } })}
      >
        {label}
      </Button>
    ) : null;
  const columns: Column<UnsupportedRow>[] = [
    { key: 'state', title: t('state'), width: 120, cell: (row) => <StateOf sign={row.isLearnt ? LEARNT : SUSPECTED} /> },
    {
      key: 'object',
      title: t('object'),
      cell: ({ nameEn, nameZh, object }) => {
        const text = nameEn && nameZh ? `${say({ en: nameEn, zh: nameZh })} · ${object.obis}` : object.obis;
        return <span title={text}>{text}</span>;
      },
    },
    { key: 'meters', title: t('saidBy'), width: 70, align: 'right', cell: (row) => <Num value={row.meters} decimals={0} /> },
    { key: 'lastAt', title: t('saidLast'), width: 140, cell: (row) => dateTime(row.lastAt).slice(0, 16) },
    { key: 'forget', title: '', width: 120, align: 'right', cell: (row) => forgetButton(t('refetchStale'), [row]) },
  ];
  return (
    <Drawer open size={860} title={`${t('unsupported')} · ${type.name}`} onClose={onClose}>
      <div className={styles['run']}>
        <p className={styles['hint']}>{t('unsupportedHint', { meters: METERS_THAT_TEACH, days: TAUGHT_DAYS })}</p>
        <PanelState query={query} isEmpty={(data) => data.items.length === 0} empty={<Empty kind="fine" text={t('nothingUnsupported')} />}>
          {({ items }) => (
            <>
              <div className={styles['summary']}>
                <span>{t('objects', { count: items.length })}</span>
                {forgetButton(t('askAllAgain'), items)}
              </div>
              <div className={styles['lines']}>
                <DataTable
                  label={t('unsupported')}
                  columns={columns}
                  rows={items}
                  rowKey={({ object }) => `${object.classId}/${object.obis}/${object.attribute}`}
                />
              </div>
            </>
          )}
        </PanelState>
        {forget.error ? <Failure error={forget.error} /> : null}
      </div>
    </Drawer>
  );
}
