import { dcuType as routes, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { Button, Drawer, Select } from 'antd';
import { Play } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Empty, Failure, PanelState } from '#kit/basics/states.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { ONLINE } from '#domain/states/tables.ts';
import { ConformanceResult } from '#domain/type-checks/conformance-result.tsx';
import { texts } from './messages.ts';
import styles from './type.module.css';

/** Checks a live DCU against the profile of its type, object by object. */
export function Conformance({ row: type, onClose }: DialogProps<DcuTypeRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [chosen, setChosen] = useState<{ value: string; label: ReactNode }>();
  const [taskId, setTaskId] = useState<string>();
  const [search, setSearch] = useState('');
  // A type may have thousands of DCUs: the server searches, and the previous results stay meanwhile.
  const candidates = useApiQuery(routes.candidates, { params: { id: type.id }, query: search ? { search } : {}, keep: true });
  const order = useApiMutation(routes.conformance, { success: (data) => setTaskId(data.taskId) });
  return (
    <Drawer open size={860} title={`${t('conformance')} · ${type.name}`} onClose={onClose}>
      <div className={styles['run']}>
        <p className={styles['hint']}>{t('conformanceHint')}</p>
        <PanelState query={candidates} isEmpty={(data) => data.items.length === 0 && search === ''} empty={<Empty text={t('noDcu')} />}>
          {(data) => (
            <div className={styles['order']}>
              <Select
                showSearch={{ filterOption: false, onSearch: setSearch }}
                style={{ width: 360 }}
                placeholder={t('chooseDcu')}
                aria-label={t('chooseDcu')}
                labelInValue
                value={chosen}
                options={data.items.map((dcu) => ({
                  value: dcu.id,
                  label: `${dcu.sn} · ${dcu.name} · ${say(ONLINE[dcu.onlineStatus].text)}`,
                  disabled: dcu.onlineStatus !== 'online',
                }))}
                onChange={setChosen}
              />
              <Button
                type="primary"
                icon={<Play size={15} aria-hidden="true" />}
                disabled={chosen === undefined || !may(routes.conformance)}
                loading={order.isPending}
                onClick={() => chosen !== undefined && order.mutate({ params: { id: type.id }, body: { dcuId: chosen.value } })}
              >
                {t('start')}
              </Button>
            </div>
          )}
        </PanelState>
        {order.error ? <Failure error={order.error} /> : null}
        {taskId ? <ConformanceResult key={taskId} taskId={taskId} /> : null}
      </div>
    </Drawer>
  );
}
