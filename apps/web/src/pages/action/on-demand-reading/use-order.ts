import { MAX_METERS_PER_ORDER, ON_DEMAND_PRIORITY, read, type OnDemandKind } from '@hes/contract/action/read.ts';
import type { TreeNode, NodeKey } from '@hes/contract/asset/tree.ts';
import { reading, type ReadSource } from '@hes/contract/reading/reading.ts';
import { isCachedType } from '@hes/contract/states/plan.ts';
import { task } from '@hes/contract/task/task.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { call } from '#core/api/client.ts';
import { failureText } from '#core/api/errors.ts';
import { addDays, localDay, serverNow } from '#core/time/format.ts';
import { meterIdsUnder } from '#domain/targets/resolve-targets.ts';

export interface OrderDraft {
  checked: Map<NodeKey, TreeNode>;
  kind: OnDemandKind;
  items: string[];
  from: string;
  to: string;
  /** Also request registers that the meter type is known to lack. */
  includeUnsupported: boolean;
  store: boolean;
  source: ReadSource;
  priority: number;
}

/** The presets of a link. */
interface Wanted {
  kind: OnDemandKind | undefined;
  from: string | undefined;
  to: string | undefined;
}

/** Items selected by default, as far as the catalogue has them. */
const USUAL_ITEMS = ['E_PLUS', 'E_MINUS', 'U1', 'I1', 'P_PLUS', 'PF'];

const yesterday = (): string => addDays(localDay(serverNow()), -1);

/** State of the order, and the function that sends it. */
export function useOrder(prefilled: TreeNode[], wanted: Wanted, onStarted: (taskId: string) => void) {
  const queries = useQueryClient();
  const catalogue = useApiQuery(reading.obis, { staleMs: Infinity });
  const unsupported = useApiQuery(read.unsupported);
  const [draft, setDraft] = useState<OrderDraft>(() => ({
    checked: new Map(prefilled.map((node) => [node.key, node])),
    kind: wanted.kind ?? 'registers',
    items: [],
    from: wanted.from ?? yesterday(),
    to: wanted.to ?? yesterday(),
    includeUnsupported: false,
    store: true,
    source: 'meter',
    priority: ON_DEMAND_PRIORITY,
  }));
  const [touched, setTouched] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);

  const known = catalogue.data?.items ?? [];
  const items = touched ? draft.items : USUAL_ITEMS.filter((key) => known.some((item) => item.key === key));
  const meters = [...draft.checked.values()].reduce((sum, node) => sum + (node.kind === 'meter' ? 1 : node.meters), 0);

  const change = (part: Partial<OrderDraft>) => {
    if (part.items) setTouched(true);
    setProblem(undefined);
    setDraft((old) => ({ ...old, ...part }));
  };

  const start = async (texts: { selectData: string; tooMany: string }) => {
    if (draft.checked.size === 0 || (draft.kind === 'registers' && items.length === 0)) return setProblem(texts.selectData);
    setBusy(true);
    setProblem(undefined);
    try {
      const meterIds = await meterIdsUnder([...draft.checked.values()], MAX_METERS_PER_ORDER);
      if (meterIds.length > MAX_METERS_PER_ORDER) return setProblem(texts.tooMany);
      if (meterIds.length === 0) return setProblem(texts.selectData);
      const days = draft.kind === 'registers' ? {} : { from: draft.from, to: draft.to };
      const source = isCachedType(draft.kind) ? draft.source : 'meter';
      const answer = await call(read.onDemand, {
        body: {
          meterIds,
          kind: draft.kind,
          items: draft.kind === 'registers' ? items : [],
          includeUnsupported: draft.includeUnsupported,
          store: draft.store,
          source,
          priority: draft.priority,
          ...days,
        },
      });
      if (!answer.ok) return setProblem(answer.error.message);
      void queries.invalidateQueries({ queryKey: [task.list.path] });
      return onStarted(answer.data.taskId);
    } catch (error) {
      return setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };

  return {
    draft: { ...draft, items },
    catalogue: known,
    unsupported: Map.groupBy(unsupported.data?.items ?? [], ({ key }) => key),
    meters,
    problem,
    busy,
    change,
    start,
  };
}
