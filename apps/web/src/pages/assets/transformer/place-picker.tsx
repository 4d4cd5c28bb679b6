import { transformer as routes, type TransformerDot } from '@hes/contract/asset/transformer.ts';
import { useMemo, useState } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages, type Translate } from '#shared/i18n/use-messages.ts';
import { NeutralZone } from '#shared/theme/neutral-zone.tsx';
import { PlaceMap, type Dot, type View } from '#widgets/map/place-map.tsx';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

const FAR = 14;

export const dotsOf = (items: readonly TransformerDot[], t: Translate<typeof texts>): Dot[] =>
  items.map((dot) => ({
    id: dot.id,
    label: dot.name === null ? t('dotsOf', { count: dot.transformers, dcus: dot.dcus }) : t('dotOf', { name: dot.name, count: dot.dcus }),
    longitude: dot.longitude,
    latitude: dot.latitude,
    places: dot.transformers,
    tone: dot.dcus === 0 ? 'none' : dot.dcusOnline < dot.dcus ? 'amber' : 'ok',
  }));

interface PlacePickerProps {
  longitude: number | null;
  latitude: number | null;
  onPick: (at: { longitude: number; latitude: number }) => void;
}

/** The place of a transformer, chosen among its neighbours. */
export function PlacePicker({ longitude, latitude, onPick }: PlacePickerProps) {
  const t = useMessages(texts);
  const near = useApiQuery(routes.map, { query: { zoom: FAR } });
  const dots = useMemo(() => dotsOf(near.data?.items ?? [], t), [near.data, t]);
  return (
    <div className={styles['picker']}>
      <NeutralZone>
        {(size) => (
          <PlaceMap
            key={`${size.width}x${size.height}`}
            label={t('place')}
            dots={dots}
            picked={longitude !== null && latitude !== null ? { longitude, latitude } : undefined}
            onPick={onPick}
          />
        )}
      </NeutralZone>
    </div>
  );
}

interface TransformerMapProps {
  node: string | undefined;
  selected: string | undefined;
  onSelect: (id: string) => void;
}

/** All transformers under a node; the server puts close ones together, so that a city is as quick as a village. */
export function TransformerMap({ node, selected, onSelect }: TransformerMapProps) {
  const t = useMessages(texts);
  const [view, setView] = useState<View>();
  const whole = useApiQuery(routes.map, { query: { node, zoom: FAR } });
  const part = useApiQuery(routes.map, {
    query: { node, zoom: view?.zoom ?? FAR, bbox: view?.bbox.join(',') },
    enabled: view !== undefined && view.zoom > 2,
    keep: true,
  });
  const items = (view && view.zoom > 2 ? part.data?.items : undefined) ?? whole.data?.items;
  const dots = useMemo(() => dotsOf(items ?? [], t), [items, t]);
  return (
    <div className={styles['map']}>
      <NeutralZone>
        {(size) => (
          <PlaceMap
            key={`${size.width}x${size.height}`}
            label={t('mapOf')}
            dots={dots}
            selected={selected}
            onSelect={onSelect}
            onView={setView}
          />
        )}
      </NeutralZone>
    </div>
  );
}
