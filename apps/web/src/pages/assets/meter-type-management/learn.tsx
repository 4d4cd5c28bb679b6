import { meterType as routes, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { Button, Drawer, Select } from 'antd';
import { GraduationCap } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Empty, Failure, PanelState } from '#kit/basics/states.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { ONLINE } from '#domain/states/tables.ts';
import { LearntResult } from '#domain/type-checks/learnt-result.tsx';
import { texts } from './messages.ts';
import styles from './type.module.css';

/** Reads the object list of a live meter and proposes a template. */
export function Learn({ row: type, onDone, onClose }: DialogProps<MeterTypeRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [chosen, setChosen] = useState<{ value: string; label: ReactNode }>();
  const [search, setSearch] = useState('');
  const [taskId, setTaskId] = useState<string>();
  const candidates = useApiQuery(routes.candidates, { params: { id: type.id }, query: { search: search || undefined }, keep: true });
  const order = useApiMutation(routes.learn, { success: (data) => setTaskId(data.taskId) });
  return (
    <Drawer open size={860} title={`${t('learn')} · ${type.name}`} onClose={onClose}>
      <div className={styles['run']}>
        <p className={styles['hint']}>{t('learnHint')}</p>
        <PanelState query={candidates} isEmpty={(data) => data.items.length === 0 && search === ''} empty={<Empty text={t('noMeter')} />}>
          {(data) => (
            <div className={styles['order']}>
              <Select
                showSearch={{ filterOption: false, onSearch: setSearch }}
                style={{ width: 400 }}
                placeholder={t('chooseMeter')}
                aria-label={t('chooseMeter')}
                labelInValue
                value={chosen}
                options={data.items.map((meter) => ({
                  value: meter.id,
                  label: `${meter.sn} · ${meter.dcuSn} · ${say(ONLINE[meter.onlineStatus].text)}`,
                  disabled: meter.onlineStatus !== 'online',
                }))}
                onChange={setChosen}
              />
              <Button
                type="primary"
                icon={<GraduationCap size={15} aria-hidden="true" />}
                disabled={chosen === undefined || !may(routes.learn)}
                loading={order.isPending}
                onClick={() => chosen !== undefined && order.mutate({ params: { id: type.id }, body: { meterId: chosen.value } })}
              >
                {t('start')}
              </Button>
            </div>
          )}
        </PanelState>
        {order.error ? <Failure error={order.error} /> : null}
        {taskId ? <LearntResult key={taskId} type={type} taskId={taskId} onTaken={onDone} /> : null}
      </div>
    </Drawer>
  );
}
