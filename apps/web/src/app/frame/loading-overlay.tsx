import { useIsFetching, useQueryClient, type Query } from '@tanstack/react-query';
import { LoaderCircle, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation, useNavigation } from 'react-router';
import { create } from 'zustand';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { metaOf } from '#core/url/pages.ts';
import { messages } from '#app/messages.ts';
import styles from './loading-overlay.module.css';

/** Faster loads show no overlay. */
const SHOWN_AFTER_MS = 400;

/** Number of pages whose code is loading. */
const usePending = create<{ pages: number }>()(() => ({ pages: 0 }));
const count = (by: 1 | -1) => usePending.setState(({ pages }) => ({ pages: pages + by }));

/** Placeholder of a page while its code loads. */
export function PageComing() {
  useEffect(() => {
    count(1);
    return () => count(-1);
  }, []);
  return null;
}

/** A query in use that has no data yet. */
const isFirst = (query: Query): boolean => query.state.data === undefined && query.state.status === 'pending' && query.isActive();

/** True once `waiting` has been true for the delay; false as soon as it is false. */
function useLasting(waiting: boolean): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => setLasts(true), SHOWN_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [waiting]);
  return lasts;
}

/**
 * Covers a page during its first load. Closing it cancels pending queries and keeps loaded data; panels without data say so and offer a
 * retry.
 */
export function LoadingOverlay() {
  const t = useMessages(messages);
  const say = useSay();
  const queries = useQueryClient();
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const coming = usePending((state) => state.pages);
  const first = useIsFetching({ predicate: isFirst });
  const target = navigation.location?.pathname ?? pathname;
  const [settled, setSettled] = useState<string>();
  const waiting = settled !== target && (navigation.state === 'loading' || coming > 0 || first > 0);
  const shown = useLasting(waiting);
  // Only the first load of a visit shows the overlay: filters and details have their own loading states.
  useEffect(() => {
    if (waiting || settled === target) return undefined;
    const timer = setTimeout(() => setSettled(target), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [waiting, settled, target]);
  if (!shown) return null;
  const { title } = metaOf(target);
  const close = () => {
    setSettled(target);
    void queries.cancelQueries({ predicate: isFirst }, { revert: false });
  };
  return (
    <div className={styles['cover']} role="status" aria-busy="true">
      <div className={styles['box']}>
        <LoaderCircle size={20} className={styles['turn']} aria-hidden="true" />
        <span>{t('loadingPage', { name: title ? say(title) : target })}</span>
        <PlainButton look="text" size="small" aria-label={t('stopLoading')} icon={<X size={15} aria-hidden="true" />} onClick={close} />
      </div>
    </div>
  );
}
