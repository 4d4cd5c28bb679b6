import type { OpenOrder as Order } from '@hes/contract/action/device-order.ts';
import { useUrlState } from '#core/url/url-state.ts';
import { OpenOrderMark } from '#domain/states/open-order.tsx';

const DEFAULTS = { task: undefined };

/** Opens the run of an order; the list keeps its place. */
export function useOpenRun(): (task: string) => void {
  const [, setUrl] = useUrlState<'task'>(DEFAULTS);
  return (task) => setUrl({ task });
}

export function OpenOrder({ order }: { order: Order | null }) {
  return <OpenOrderMark order={order} onOpen={useOpenRun()} />;
}
