import { dcu as dcus } from '@hes/contract/asset/dcu.ts';
import { Select } from 'antd';
import { useEffect, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Field } from '#kit/form/field.tsx';
import { texts } from './messages.ts';

interface Place {
  longitude: number;
  latitude: number;
}

/** Where the phone is; undefined until the browser tells it, and without the permission. */
function usePlace(): Place | undefined {
  const [place, setPlace] = useState<Place>();
  useEffect(() => {
    if (!('geolocation' in navigator)) return;
    navigator.geolocation.getCurrentPosition(
      ({ coords: { longitude, latitude } }) => setPlace({ longitude, latitude }),
      () => undefined,
    );
  }, []);
  return place;
}

/** A DCU to install behind: the nearest ones, or those that match the typed text. */
export function NearDcu({ value, onChange }: { value: string | undefined; onChange: (id: string) => void }) {
  const t = useMessages(texts);
  const place = usePlace();
  const [search, setSearch] = useState('');
  const found = useApiQuery(dcus.near, { query: { ...place, ...(search === '' ? {} : { search }) }, keep: true });
  const options = (found.data?.items ?? []).map(({ id, sn, transformerName, distanceM }) => ({
    value: id,
    label: [sn, transformerName, distanceM === null ? null : t('metersAway', { distance: figure(distanceM) })].filter(Boolean).join(' · '),
  }));
  return (
    <Field name="dcuId" label={t('installDcu')} required wide help={t(place === undefined ? 'installDcuHint' : 'nearestFirst')}>
      {({ status, ...control }) => (
        <Select
          {...control}
          {...(status === '' ? {} : { status })}
          style={{ width: '100%' }}
          showSearch={{ filterOption: false, onSearch: setSearch }}
          loading={found.isFetching}
          value={value}
          options={options}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
