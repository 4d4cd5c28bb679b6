import { fill, type TextParams } from '@hes/contract/core/text.ts';
import { App, Button } from 'antd';
import { useCallback, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { failureText } from '#core/api/errors.ts';
import { common } from '#core/i18n/common.messages.ts';
import { someOf } from '#kit/basics/some-of.ts';
import { isOffered, type Action, type Notice, type OpenDialog, type Order, type Rows, type Task } from './action.ts';
import type { UrlWords } from './filters.tsx';
import type { ListTools } from './list-parts.ts';
import { listTexts } from './messages.ts';

/** Longer than usual, so that the link can be reached. */
const LINK_SECONDS = 6;
/** Long enough to read the names of the rows. */
const REFUSAL_SECONDS = 6;

interface Acting<Row> {
  tools: ListTools;
  idOf: (row: Row) => string;
  rowName: (row: Row, tools: ListTools) => string;
  open: (dialog: OpenDialog<Row> | undefined) => void;
  setUrl: (change: UrlWords) => void;
  /** Called when at least one order was accepted, with the rows that exist no longer. */
  onDone: (gone: readonly string[]) => void;
}

/** Sends the orders of an action. Returns the refusal when all were refused. */
export type Send<Row> = (order: Order<Row>, rows: readonly Row[], reason: string) => Promise<string | undefined>;

/** Starts the task of an action and shows its run. Returns the refusal. */
export type Start<Row> = (task: Task<Row>, rows: Rows<Row>, reason: string) => Promise<string | undefined>;

/** The fields of an answer that a message can use. */
const fieldsOf = (answer: unknown): TextParams =>
  Object.fromEntries(
    Object.entries(answer ?? {}).filter((field): field is [string, string | number] => /string|number/.test(typeof field[1])),
  );

/** Starts actions: asks first where a confirmation or a form is declared, else sends the order at once. */
export function useAct<Row>({ tools, idOf, rowName, open, setUrl, onDone }: Acting<Row>) {
  const { message, notification } = App.useApp();
  // Messages render outside of the router, where links do not work.
  const navigate = useNavigate();
  const linksOf = (links: Notice['links']) =>
    links.map(({ label, to }, at) => (
      <Button key={at} type="link" size="small" onClick={() => void navigate(to)}>
        {tools.say(label)}
      </Button>
    ));
  const succeeded = ({ done, started }: Order<Row>, params: TextParams, answer: unknown) => {
    if (done === undefined) return;
    const said = typeof done === 'function' ? done(answer) : fill(done, { ...fieldsOf(answer), ...params });
    if ('links' in said) {
      const { title, hint, links, isLasting = false } = said;
      const description = (
        <>
          {hint ? <p>{tools.say(hint)}</p> : null}
          {linksOf(links)}
        </>
      );
      notification.success({ title: tools.say(title), description, ...(isLasting ? { duration: 0 } : {}) });
      return;
    }
    const text = tools.say(said);
    if (started === undefined) void message.success(text);
    else
      void message.success(
        <>
          {text} {linksOf([{ label: started.label, to: started.to(answer) }])}
        </>,
        LINK_SECONDS,
      );
  };
  const send: Send<Row> = async (order, rows, reason) => {
    const [first, ...others] = rows;
    if (first === undefined) return undefined;
    const calls: [Row, ...Row[]][] = order.isJoint ? [[first, ...others]] : rows.map((row) => [row]);
    const answers = await Promise.all(calls.map(async (of) => ({ of, answer: await order.send(of, reason, tools) })));
    const refusals = answers.flatMap(({ answer }) => (answer.ok ? [] : [answer.error.message]));
    const accepted = answers.flatMap(({ of, answer }) => (answer.ok ? of.map((row) => ({ row, data: answer.data })) : []));
    const [refusal] = refusals;
    const [only] = accepted;
    if (only === undefined) return refusal;
    if (refusal === undefined) succeeded(order, { count: accepted.length, name: rowName(only.row, tools) }, only.data);
    else void message.warning(tools.say(listTexts.partly, { done: accepted.length, failed: refusals.length, reason: refusal }), 0);
    if (order.shows) {
      open(undefined);
      setUrl(order.shows(only.data));
      return undefined;
    }
    onDone(order.removesRow ? accepted.map(({ row }) => idOf(row)) : []);
    return undefined;
  };
  /** Orders without a confirmation that have no answer yet: a second click does not send them again. */
  const sending = useRef(new Set<string>());
  const sendOnce = async (key: string, order: Order<Row>, rows: readonly Row[]) => {
    const id = [key, ...rows.map(idOf)].join(' ');
    if (sending.current.has(id)) return undefined;
    sending.current.add(id);
    return send(order, rows, '').finally(() => sending.current.delete(id));
  };
  const isStarting = useRef(false);
  const start: Start<Row> = async (task, rows, reason) => {
    if (isStarting.current) return undefined;
    isStarting.current = true;
    const answer = await task.start(rows, reason);
    isStarting.current = false;
    if (!answer.ok) return answer.error.message;
    open({ kind: 'run', task, rows, taskId: answer.data.taskId });
    return undefined;
  };
  const showRefusal = (refusal: string | void) => (refusal ? message.error(refusal, 0) : undefined);
  const act = (action: Action<Row>, rows: readonly Row[]) => {
    const { act: what } = action;
    const [first, ...others] = rows;
    if (first === undefined) return;
    if (what.kind === 'run')
      void what
        .run(first, rows, tools)
        ?.then(showRefusal)
        .catch((error: unknown) => message.error(failureText(error), 0));
    else if (what.kind === 'link') void navigate(what.to(first));
    else if (what.kind === 'show') setUrl(what.change(first));
    else if (what.kind === 'order' && what.confirm === undefined) void sendOnce(action.key, what, rows).then(showRefusal);
    else if (what.kind === 'task' && what.confirm === undefined) void start(what, [first, ...others], '').then(showRefusal);
    else open({ kind: 'act', action, rows });
  };
  const actOnSelected = (action: Action<Row>, rows: readonly Row[]) => {
    const offered = rows.filter((row) => isOffered(action, row, tools));
    const refused = rows.filter((row) => !offered.includes(row));
    const { none, refusal = offered.length === 0 ? common.selectValid : undefined } = action.batch ?? {};
    if (offered.length === 0 && none !== undefined) return void message.warning(tools.say(none), REFUSAL_SECONDS);
    if (refused.length === 0 || refusal === undefined) return act(action, offered);
    const names = someOf(refused.map((row) => rowName(row, tools))).join(', ');
    const reasons = new Set(refused.flatMap((row) => action.refusedBy?.(row, tools) ?? []).map((reason) => tools.say(reason)));
    return void message.warning([`${tools.say(refusal)} ${names}`, ...reasons].join(': '), REFUSAL_SECONDS);
  };
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  // Stable, so that the column of row menus is not built again for each selected row.
  const stableAct = useCallback<typeof act>((action, rows) => latest.current(action, rows), []);
  return { act: stableAct, actOnSelected, send, start };
}
