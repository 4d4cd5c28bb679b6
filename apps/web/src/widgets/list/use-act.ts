import { App } from 'antd';
import { useCallback, useEffect, useRef } from 'react';
import type { Action, OpenDialog, Order } from './action.ts';
import type { ListTools } from './list-parts.ts';
import { listTexts } from './messages.ts';

interface Acting<Row> {
  tools: ListTools;
  rowName: (row: Row, tools: ListTools) => string;
  open: (dialog: OpenDialog<Row>) => void;
  /** Called when at least one order was accepted, with the rows that exist no longer. */
  onDone: (gone: readonly string[]) => void;
}

/** Sends the orders of an action, one call for each row. Returns the refusal when all were refused. */
export type Send<Row> = (order: Order<Row>, rows: readonly Row[], reason: string) => Promise<string | undefined>;

/** Starts actions: asks first where a confirmation or a form is declared, else sends the order at once. */
export function useAct<Row extends { id: string }>({ tools, rowName, open, onDone }: Acting<Row>) {
  const { message } = App.useApp();
  const send: Send<Row> = async (order, rows, reason) => {
    const answers = await Promise.all(rows.map(async (row) => ({ row, answer: await order.send(row, reason) })));
    const refusals = answers.flatMap(({ answer }) => (answer.ok ? [] : [answer.error.message]));
    const done = answers.filter(({ answer }) => answer.ok).map(({ row }) => row);
    const [refusal] = refusals;
    const [only] = done;
    if (only === undefined) return refusal;
    if (refusal === undefined) void message.success(tools.say(order.done, { count: done.length, name: rowName(only, tools) }));
    else void message.warning(tools.say(listTexts.partly, { done: done.length, failed: refusals.length, reason: refusal }), 0);
    onDone(order.removesRow ? done.map(({ id }) => id) : []);
    return undefined;
  };
  const showRefusal = (refusal: string | undefined) => (refusal === undefined ? undefined : message.error(refusal, 0));
  const act = (action: Action<Row>, rows: readonly Row[]) => {
    const { act: what } = action;
    if (what.kind === 'run') rows.forEach((row) => void what.run(row)?.then(showRefusal));
    else if (what.kind === 'order' && what.confirm === undefined) void send(what, rows, '').then(showRefusal);
    else if (what.kind !== 'link') open({ kind: 'act', action, rows });
  };
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  // Stable, so that the column of row menus is not built again for each selected row.
  const stableAct = useCallback<typeof act>((action, rows) => latest.current(action, rows), []);
  return { act: stableAct, send };
}
