import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { transformer as routes, type TransformerDot } from '@hes/contract/asset/transformer.ts';
import { useMemo, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, type Translate } from '#core/i18n/use-messages.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import type { Dot } from '#domain/map/draw.ts';
import { PlaceMap, type View } from '#domain/map/place-map.tsx';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

/** Above this zoom each view is fetched separately. */
const FETCH_VIEW_ABOVE_ZOOM = 2;
const NO_DOTS: Dot[] = [];
const ONE_PX = 16;
const SOME_PX = 22;
const MANY_PX = 44;

function toDot(dot: TransformerDot, t: Translate<typeof texts>): Dot {
  const { id, name, longitude, latitude, transformers, dcus, dcusOnline } = dot;
  const tone = dcus === 0 ? 'none' : dcusOnline < dcus ? 'amber' : 'ok';
  return {
    id,
    longitude,
    latitude,
    label: name === null ? t('dotsOf', { count: transformers, dcus }) : t('dotOf', { name, count: dcus }),
    size: transformers === 1 ? ONE_PX : Math.min(MANY_PX, SOME_PX + Math.round(Math.log2(transformers) * 3)),
    face: `<span class="${styles['dot']} ${styles[tone]}">${transformers === 1 ? '' : transformers}</span>`,
  };
}

/** Transformers under a node. The server clusters close ones, so that the size of the network does not matter. */
function useDots(node: NodeKey | undefined) {
  const t = useMessages(texts);
  const [view, onView] = useState<View>();
  const isNear = view !== undefined && view.zoom > FETCH_VIEW_ABOVE_ZOOM;
  const whole = useApiQuery(routes.map, { query: { node } });
  const part = useApiQuery(routes.map, { query: { node, zoom: view?.zoom, bbox: view?.bbox.join() }, enabled: isNear, keep: true });
  const extent = whole.data?.items ?? NO_DOTS;
  const items = (isNear ? part.data?.items : undefined) ?? whole.data?.items;
  const dots = useMemo(() => items?.map((item) => toDot(item, t)) ?? NO_DOTS, [items, t]);
  return { whole, map: { extent, dots, onView } };
}

interface PlacePickerProps {
  longitude: number | null;
  latitude: number | null;
  onPick: (at: { longitude: number; latitude: number }) => void;
}

/** Picks the location of a transformer on a map with its neighbours. */
export function PlacePicker({ longitude, latitude, onPick }: PlacePickerProps) {
  const t = useMessages(texts);
  const { map } = useDots(undefined);
  const picked = longitude !== null && latitude !== null ? { longitude, latitude } : undefined;
  return (
    <div className={styles['picker']}>
      <PlaceMap label={t('place')} {...map} picked={picked} onPick={onPick} />
    </div>
  );
}

interface TransformerMapProps {
  node: NodeKey | undefined;
  selected: string | undefined;
  onSelect: (id: string | undefined) => void;
}

/** All transformers under a node. */
export function TransformerMap({ node, selected, onSelect }: TransformerMapProps) {
  const t = useMessages(texts);
  const { whole, map } = useDots(node);
  return (
    <div className={styles['map']}>
      <PanelState query={whole} lines={14} isEmpty={(data) => data.items.length === 0} empty={<Empty text={t('noPlaces')} />}>
        {() => <PlaceMap label={t('mapOf')} {...map} selected={selected} onSelect={onSelect} />}
      </PanelState>
    </div>
  );
}
