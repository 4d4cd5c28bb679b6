import type { TextParams } from '@hes/contract/core/text.ts';
import { App, Button } from 'antd';
import { useCallback, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { Action, OpenDialog, Order } from './action.ts';
import type { ListTools } from './list-parts.ts';
import { listTexts } from './messages.ts';

/** Longer than usual, so that the link can be reached. */
const LINK_SECONDS = 6;

interface Acting<Row> {
  tools: ListTools;
  idOf: (row: Row) => string;
  rowName: (row: Row, tools: ListTools) => string;
  open: (dialog: OpenDialog<Row>) => void;
  /** Called when at least one order was accepted, with the rows that exist no longer. */
  onDone: (gone: readonly string[]) => void;
}

/** Sends the orders of an action, one call for each row. Returns the refusal when all were refused. */
export type Send<Row> = (order: Order<Row>, rows: readonly Row[], reason: string) => Promise<string | undefined>;

/** The fields of an answer that a message can use. */
const fieldsOf = (answer: unknown): TextParams =>
  Object.fromEntries(
    Object.entries(answer ?? {}).filter((field): field is [string, string | number] => /string|number/.test(typeof field[1])),
  );

/** Starts actions: asks first where a confirmation or a form is declared, else sends the order at once. */
export function useAct<Row>({ tools, idOf, rowName, open, onDone }: Acting<Row>) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const succeeded = ({ done, started }: Order<Row>, params: TextParams, answer: unknown) => {
    const text = tools.say(done, { ...fieldsOf(answer), ...params });
    if (started === undefined) void message.success(text);
    else
      void message.success(
        <>
          {text}{' '}
          <Button type="link" size="small" onClick={() => void navigate(started.to(answer))}>
            {tools.say(started.label)}
          </Button>
        </>,
        LINK_SECONDS,
      );
  };
  const send: Send<Row> = async (order, rows, reason) => {
    const answers = await Promise.all(rows.map(async (row) => ({ row, answer: await order.send(row, reason) })));
    const refusals = answers.flatMap(({ answer }) => (answer.ok ? [] : [answer.error.message]));
    const accepted = answers.flatMap(({ row, answer }) => (answer.ok ? [{ row, data: answer.data }] : []));
    const [refusal] = refusals;
    const [only] = accepted;
    if (only === undefined) return refusal;
    if (refusal === undefined) succeeded(order, { count: accepted.length, name: rowName(only.row, tools) }, only.data);
    else void message.warning(tools.say(listTexts.partly, { done: accepted.length, failed: refusals.length, reason: refusal }), 0);
    onDone(order.removesRow ? accepted.map(({ row }) => idOf(row)) : []);
    return undefined;
  };
  const showRefusal = (refusal: string | undefined) => (refusal === undefined ? undefined : message.error(refusal, 0));
  const act = (action: Action<Row>, rows: readonly Row[]) => {
    const { act: what } = action;
    const [first] = rows;
    if (what.kind === 'run') rows.forEach((row) => void what.run(row)?.then(showRefusal));
    else if (what.kind === 'link' && first !== undefined) void navigate(what.to(first));
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
