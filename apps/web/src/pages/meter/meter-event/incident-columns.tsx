import type { IncidentRow } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT } from '@hes/contract/states/event.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { Meter } from '#kit/chart/bars.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime, elapsed } from '#core/time/format.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { LEVEL } from '#domain/states/event-tables.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import type { T } from './texts.ts';
import styles from './event.module.css';

interface Options {
  t: T;
  say: (text: Text) => string;
  nameOf: (row: IncidentRow) => string;
}

export function incidentColumns({ t, say, nameOf }: Options): Column<IncidentRow>[] {
  return [
    { key: 'abnormalLevel', title: t('level'), width: 112, cell: (row) => <StateOf sign={LEVEL[row.abnormalLevel ?? 'none']} /> },
    { key: 'openedAt', title: t('opened'), width: 152, cell: (row) => dateTime(row.openedAt) },
    { key: 'code', title: t('code'), width: 88, align: 'right', value: (row) => row.code, cell: (row) => row.code },
    { key: 'codeName', title: t('codeName'), width: 210, cell: (row) => <span title={nameOf(row)}>{nameOf(row)}</span> },
    { key: 'log', title: t('log'), width: 110, cell: (row) => say(EVENT_LOG_TEXT[row.log]) },
    { key: 'dcu', title: t('dcuSn'), width: 150, cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'transformer', title: t('transformer'), width: 166, cell: (row) => row.transformerName ?? '—' },
    {
      key: 'devices',
      title: t('devices'),
      width: 170,
      value: (row) => row.devices,
      cell: (row) => (
        <span className={styles['reach']}>
          <span>{t('devicesOf', { count: row.devices, total: Math.max(row.devicesOfDcu, row.devices) })}</span>
          <Meter
            label={t('devices')}
            value={row.devices}
            max={Math.max(row.devicesOfDcu, row.devices)}
            tone={row.devices === row.devicesOfDcu ? 'red' : 'amber'}
          />
        </span>
      ),
    },
    {
      key: 'members',
      title: t('members'),
      width: 86,
      align: 'right',
      value: (row) => row.members,
      cell: (row) => <Num value={row.members} />,
    },
    {
      key: 'duration',
      title: t('duration'),
      width: 100,
      align: 'right',
      cell: (row) => (row.closedAt ? elapsed(Date.parse(row.closedAt) - Date.parse(row.openedAt)) : '—'),
    },
    {
      key: 'acknowledged',
      title: t('acknowledged'),
      width: 112,
      align: 'right',
      value: (row) => row.acknowledged,
      cell: (row) => t('devicesOf', { count: row.acknowledged, total: row.members }),
    },
  ];
}
