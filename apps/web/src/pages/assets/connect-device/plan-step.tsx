import { meter as meters } from '@hes/contract/asset/meter.ts';
import { to } from '@hes/contract/page/links.ts';
import { plan, type PlanRow } from '@hes/contract/reading/plan.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { TransformerSelect } from '#domain/transformer-select/transformer-select.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { Failure, PanelState } from '#kit/basics/states.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { texts } from './messages.ts';
import type { DeviceStepProps } from './step-props.ts';
import styles from './connect.module.css';

const PLANS_SHOWN = 100;

/** Puts a direct meter into service: plans collect no meter in the warehouse. */
function Install({ progress, onChanged }: DeviceStepProps) {
  const t = useMessages(texts);
  const [place, setPlace] = useState<{ id: string | null; name: string | null }>({ id: null, name: null });
  const asset = useApiQuery(meters.asset, { params: { id: progress.id } });
  const done = () => {
    void asset.refetch();
    onChanged();
  };
  const install = useApiMutation(meters.setState, { success: done });
  return (
    <PanelState query={asset} lines={2}>
      {({ inventoryState, transformerName }) =>
        inventoryState === 'in_warehouse' ? (
          <>
            <p className={styles['hint']}>{t('installHint')}</p>
            <div className={styles['row']}>
              <div className={styles['place']}>
                <TransformerSelect
                  label={t('transformer')}
                  value={place.id}
                  name={place.name}
                  onChange={(id, name) => setPlace({ id, name })}
                />
              </div>
              <Button
                type="primary"
                disabled={place.id === null}
                loading={install.isPending}
                onClick={() => install.mutate({ body: { ids: [progress.id], state: 'active', transformerId: place.id } })}
              >
                {t('install')}
              </Button>
              <LinkButton to={to.transformers()}>{t('noTransformer')}</LinkButton>
            </div>
            {install.error ? <Failure error={install.error} /> : null}
          </>
        ) : (
          <p role="status">{t('isInService', { transformer: transformerName ?? '—' })}</p>
        )
      }
    </PanelState>
  );
}

function PlanLine({ row, onChanged }: { row: PlanRow; onChanged: () => void }) {
  const t = useMessages(texts);
  const may = useMay();
  const enable = useApiMutation(plan.enable, { success: onChanged });
  return (
    <li>
      <Glyph shape={row.enabled ? 'tick' : 'dashed'} tone={row.enabled ? 'ok' : 'none'} size={16} />
      <span>{row.name}</span>
      <small>{row.enabled && row.nextRunAt !== null ? t('nextRun', { time: dateTime(row.nextRunAt) }) : ''}</small>
      {!row.enabled && may(plan.enable) ? (
        <Button
          size="small"
          aria-label={`${t('planOn')} ${row.name}`}
          loading={enable.isPending}
          onClick={() => enable.mutate({ params: { id: row.id }, body: { enabled: true } })}
        >
          {t('planOn')}
        </Button>
      ) : null}
      {enable.error ? <span role="alert">{enable.error.message}</span> : null}
    </li>
  );
}

/** The plans for all meters, which collect the device from now on. */
export function PlanStep(props: DeviceStepProps) {
  const t = useMessages(texts);
  const { kind, progress, onChanged } = props;
  const plans = useApiQuery(plan.list, { query: { size: PLANS_SHOWN } });
  const changed = () => {
    void plans.refetch();
    onChanged();
  };
  return (
    <>
      {kind === 'meter' ? <Install {...props} /> : null}
      <PanelState query={plans} lines={3}>
        {({ items }) => {
          const every = items.filter(({ targetKind }) => targetKind === 'all');
          const isOn = every.some(({ enabled }) => enabled);
          return (
            <>
              <p className={styles['hint']}>{t(isOn ? 'plansOn' : 'plansOff')}</p>
              <ul className={styles['plans']}>
                {every.map((row) => (
                  <PlanLine key={row.id} row={row} onChanged={changed} />
                ))}
              </ul>
              {isOn && progress.orders.value?.state === 'finished' ? <p role="status">{t('finished', { sn: progress.sn })}</p> : null}
            </>
          );
        }}
      </PanelState>
      <div className={styles['actions']}>
        <LinkButton to={to.plans()}>{t('openPlans')}</LinkButton>
        <LinkButton to={kind === 'dcu' ? to.dcus({ search: progress.sn, sel: progress.id }) : to.meterAssets({ sel: progress.id })}>
          {t('openDevice')}
        </LinkButton>
      </div>
    </>
  );
}
