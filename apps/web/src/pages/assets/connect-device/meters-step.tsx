import { discovery } from '@hes/contract/asset/discovery.ts';
import { meter as meters } from '@hes/contract/asset/meter.ts';
import { to } from '@hes/contract/page/links.ts';
import { App, Button, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useModelName } from '#domain/models/model.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { Failure } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';
import type { DeviceStepProps } from './step-props.ts';
import styles from './connect.module.css';

const SHORTEST_SEARCH_MINUTES = 10;
const POLL_SECONDS = 5;
const FOUND_AT_ONCE = 500;

/** Registers and binds the unknown meters that the DCU found. */
function AdoptFound({ progress, onChanged }: DeviceStepProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const { message } = App.useApp();
  const [meterTypeId, choose] = useState<string>();
  const options = useApiQuery(meters.options);
  const found = useApiQuery(discovery.list, { query: { dcuId: progress.id, match: ['unknown'], size: FOUND_AT_ONCE }, refetchMs: 5000 });
  const adopt = useApiMutation(discovery.adopt, {
    success: ({ items }) => {
      void message.success(t('adopted', { count: items.length }));
      onChanged();
    },
  });
  const ids = found.data?.items.map(({ id }) => id) ?? [];
  return (
    <>
      <div className={styles['row']} role="status">
        {t('foundCount', { count: progress.found })}
      </div>
      {ids.length > 0 ? (
        <div className={styles['row']}>
          <Select
            style={{ width: 320 }}
            aria-label={t('meterTypeOfFound')}
            placeholder={t('meterTypeOfFound')}
            value={meterTypeId}
            options={(options.data?.types ?? []).map(({ id, name, code }) => ({ value: id, label: `${called(name)} (${code})` }))}
            onChange={choose}
          />
          <Button
            type="primary"
            loading={adopt.isPending}
            onClick={() => adopt.mutate({ body: { action: 'add_bind', ids, ...(meterTypeId === undefined ? {} : { meterTypeId }) } })}
          >
            {t('adopt')}
          </Button>
        </div>
      ) : null}
      {adopt.error ? <Failure error={adopt.error} /> : null}
    </>
  );
}

/** Finds the meters behind a DCU, or leads to entering them. */
export function MetersStep(props: DeviceStepProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { progress, setUrl, onChanged } = props;
  const start = useApiMutation(discovery.start, { success: onChanged });
  const lacksSearch = start.error?.failure.code === 'DCU_LACKS';
  const search = { dcuIds: [progress.id], mode: 'both' as const, minutes: SHORTEST_SEARCH_MINUTES, pollSeconds: POLL_SECONDS };
  return (
    <>
      <p className={styles['hint']}>{t('searchHint')}</p>
      {progress.meters > 0 ? <p role="status">{t('boundCount', { count: progress.meters })}</p> : null}
      {lacksSearch ? <p role="alert">{t('noSearch')}</p> : start.error ? <Failure error={start.error} /> : null}
      {progress.orders.meters !== null || progress.found > 0 ? <AdoptFound {...props} /> : null}
      <div className={styles['actions']}>
        {may(discovery.start) ? (
          <Button
            type={progress.meters > 0 || progress.found > 0 ? 'default' : 'primary'}
            loading={start.isPending}
            disabled={progress.onlineStatus !== 'online'}
            onClick={() => {
              setUrl({ step: 'meters' });
              start.mutate({ body: search });
            }}
          >
            {t(progress.orders.meters === null ? 'begin' : 'again')}
          </Button>
        ) : null}
        <LinkButton to={to.meterAssets({ tab: 'search', node: `dcu:${progress.id}` })}>{t('openFound')}</LinkButton>
        <LinkButton to={to.meterAssets({})}>{t('addMeters')}</LinkButton>
        <Button type={progress.meters > 0 ? 'primary' : 'default'} onClick={() => setUrl({ step: 'value' })}>
          {t(progress.meters > 0 ? 'next' : 'skip')}
        </Button>
      </div>
    </>
  );
}
