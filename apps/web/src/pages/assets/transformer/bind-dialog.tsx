import { transformer as routes, type TransformerDcu, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { Alert, App, Button, Input, Modal } from 'antd';
import { Link2, Search, Unlink } from 'lucide-react';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { useSelection } from '#kit/table/selection.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

const WIDTH = 880;

/** Binds DCUs to a transformer and unbinds them; DCUs of other transformers are shown with their transformer. */
export function BindDialog({ row, reload, onClose }: DialogProps<TransformerRow>) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [search, setSearch] = useState('');
  const selection = useSelection<TransformerDcu>({ idOf: (dcu) => dcu.id, filter: row.id });
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const own = useApiQuery(routes.get, { params: { id: row.id } });
  const others = useApiQuery(routes.dcus, { query: { transformerId: row.id, search: search.trim() || undefined }, keep: true });
  const rows = [...(own.data?.dcuList ?? []), ...(others.data?.items ?? [])];
  const picked = [...selection.chosen.values()];

  const finish = (refused: string | undefined, done: string) => {
    setBusy(false);
    setFailure(refused);
    selection.clear();
    void own.refetch();
    void others.refetch();
    reload();
    if (refused === undefined) void message.success(done);
  };
  const warn = (text: string): undefined => void message.warning(text);
  const bind = async () => {
    if (picked.length === 0) return warn(t('selectData'));
    if (picked.some((dcu) => dcu.transformerId !== null)) return warn(t('alreadyBound'));
    setBusy(true);
    const answer = await call(routes.bindDcus, { params: { id: row.id }, body: { dcuIds: picked.map((dcu) => dcu.id) } });
    return finish(answer.ok ? undefined : answer.error.message, t('bound'));
  };
  const unbind = async () => {
    if (picked.length === 0) return warn(t('selectData'));
    if (picked.some((dcu) => dcu.transformerId !== row.id)) return warn(t('notBound'));
    setBusy(true);
    const answers = await Promise.all(picked.map((dcu) => call(routes.unbindDcu, { params: { id: row.id, dcuId: dcu.id } })));
    const [refused] = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.message]));
    return finish(refused, t('unbound'));
  };
  const columns: Column<TransformerDcu>[] = [
    { key: 'sn', title: t('dcuSn'), width: 170, cell: (dcu) => <Sn sn={dcu.sn} /> },
    { key: 'name', title: t('name'), width: 160, cell: (dcu) => <span title={dcu.name}>{dcu.name}</span> },
    { key: 'status', title: t('status'), width: 120, cell: (dcu) => <StateOf sign={ONLINE[dcu.onlineStatus]} /> },
    { key: 'meters', title: t('meters'), width: 80, align: 'right', cell: (dcu) => <Num value={dcu.meters} /> },
    {
      key: 'belongsTo',
      title: t('belongsTo'),
      cell: (dcu) => (dcu.transformerId === row.id ? t('here') : (dcu.transformerName ?? t('nowhere'))),
    },
  ];
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('bindTitle', { name: row.name })}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button icon={<Unlink size={15} aria-hidden="true" />} loading={isBusy} onClick={() => void unbind()}>
            {t('unbind')}
          </Button>
          <Button type="primary" icon={<Link2 size={15} aria-hidden="true" />} loading={isBusy} onClick={() => void bind()}>
            {t('bind')}
          </Button>
        </>
      }
    >
      <Input
        allowClear
        prefix={<Search size={14} aria-hidden="true" />}
        placeholder={t('dcuSearch')}
        aria-label={t('dcuSearch')}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className={styles['dcus']}>
        <PanelState query={others} lines={8}>
          {() => (
            <DataTable
              label={t('bindTitle', { name: row.name })}
              columns={columns}
              rows={rows}
              rowKey={(dcu) => dcu.id}
              selection={selection}
              rowName={(dcu) => dcu.sn}
              empty={<Empty small text={t('noDcu')} />}
            />
          )}
        </PanelState>
      </div>
      {failure === undefined ? null : <Alert type="error" showIcon role="alert" title={failure} />}
    </Modal>
  );
}
