import type { OpenOrder as Order } from '@hes/contract/action/device-order.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useUrl } from '#core/url/use-url.ts';
import { OpenOrderMark } from '#domain/states/open-order.tsx';

/** Opens the run of an order; the list keeps its place. */
export function useOpenRun(): (task: string) => void {
  const [, setUrl] = useUrl(PAGE_WORDS.relays);
  return (task) => setUrl({ task });
}

export function OpenOrder({ order }: { order: Order | null }) {
  return <OpenOrderMark order={order} onOpen={useOpenRun()} />;
}
