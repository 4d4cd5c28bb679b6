import type { ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { call, type CallOptions } from '#core/api/client.ts';
import type { ApiFailure } from '#core/api/errors.ts';
import type { ShortcutName } from '#core/keys/shortcuts.ts';
import type { UrlWords } from './filters.tsx';
import type { FormProps, ListTools, Part } from './list-parts.ts';

/** The question before an action. Its texts may use `{name}` for one row and `{count}` for several. */
export interface Confirmation<Row> {
  title: Text;
  /** Title for several rows; without it that of one row. */
  titleOfMany?: Text;
  /** The consequence, and how it is undone. */
  effect: Text | ((row: Row) => Text);
  /** Verb and object on the button; without it the label of the action. */
  action?: Text;
  actionOfMany?: Text;
  about?: (row: Row, tools: ListTools) => ReactNode;
  reason?: { label: Text; max: number; missing: Text };
}

interface ActionHead<Row> {
  key: string;
  label: Text | ((row: Row) => Text);
  icon: LucideIcon;
  /** Shown for these rows only. */
  when?: (row: Row, tools: ListTools) => boolean;
  /** Shown but refused, with the reason as its tooltip. */
  refusedBy?: (row: Row, tools: ListTools) => Text | undefined;
  isDanger?: boolean;
  /** In the details pane, the action stands in the menu after the buttons. */
  isInMenu?: boolean;
  /** Starts the action on the row that has the focus. */
  shortcut?: ShortcutName;
}

/** An action on the rows of a list. One declaration serves row menu, details pane and batch bar. */
export interface Action<Row> extends ActionHead<Row> {
  /** The route whose right the action needs. */
  right: Pick<Route, 'allow'>;
  /** Offered for selected rows as well, at most this many at once. */
  batch?: Batch;
  act: Act<Row>;
}

interface Batch {
  most?: number;
  /** The page has a button for it, so that the bar of selected rows has none. */
  isOnPage?: boolean;
  label?: Text;
  /** Message when a selected row refuses the action: then nothing is sent. Without it, such rows are left out. */
  refusal?: Text;
  /** Message when all selected rows are left out, instead of the usual one. */
  none?: Text;
}

/** A message after success with links to what the order has started or what has to follow. */
export interface Notice {
  title: Text;
  hint?: Text;
  links: readonly { label: Text; to: string }[];
  /** Stays until the user closes it. */
  isLasting?: boolean;
}

/** Sends calls for rows. */
export interface Order<Row> {
  kind: 'order';
  /** One call takes all rows; else each row has its own. */
  isJoint: boolean;
  send: (rows: Rows<Row>, reason: string, tools: ListTools) => Promise<OrderAnswer>;
  /** The address after success, such as of the run that was started. The selection stays. */
  shows?: (answer: unknown) => UrlWords;
  /** Shows what the order has started, such as the page of a run, in the message after success. */
  started?: { label: Text; to: (answer: unknown) => string };
  /** Absent for orders that are sent at once. */
  confirm?: Confirmation<Row>;
  /** Message after success; may use `{name}`, `{count}` and the fields of the answer. As a function it has its parameters already. */
  done?: Text | ((answer: unknown) => Text | Notice);
  /** The rows exist no longer after success. */
  removesRow: boolean;
}

/** At least one row. */
export type Rows<Row> = readonly [Row, ...Row[]];

/** Starts one task for all rows, and shows its run. */
export interface Task<Row> {
  kind: 'task';
  start: (rows: Rows<Row>, reason: string) => Promise<{ ok: true; data: { taskId: string } } | { ok: false; error: ApiFailure }>;
  /** Absent for tasks that start at once. */
  confirm?: Confirmation<Row>;
  Run: Part<RunProps<Row>>;
}

export interface RunProps<Row> {
  taskId: string;
  rows: Rows<Row>;
  onClose: () => void;
}

type Act<Row> =
  | Order<Row>
  | { kind: 'form'; Form: Part<FormProps<Row>>; done?: Text }
  | { kind: 'dialog'; Dialog: Part<DialogProps<Row>> }
  | { kind: 'link'; to: (row: Row) => string }
  | Task<Row>
  /** Changes the address of the page, whose filters stay. */
  | { kind: 'show'; change: (row: Row) => UrlWords }
  /** Called once, with the first row and all rows. */
  | { kind: 'run'; run: (row: Row, rows: readonly Row[], tools: ListTools) => Promise<Refusal | void> | void };

/** Message of a refused action, which is shown to the user; undefined: the action was accepted. */
type Refusal = string | undefined;

type OrderAnswer = { ok: true; data: unknown } | { ok: false; error: ApiFailure };

export interface DialogProps<Row> {
  /** The row, or the first row of a batch. */
  row: Row;
  /** One row, or the selected rows of a batch. */
  rows: readonly Row[];
  /** Called after a change, with the ids of the rows that exist no longer. */
  onDone: (gone?: readonly string[]) => void;
  /** Reads the list again while the dialog stays open. */
  reload: () => void;
  onClose: () => void;
}

/** An open dialog of a list: the form of a new record, an action on rows, or the run of a task. */
export type OpenDialog<Row> =
  | { kind: 'add' }
  | { kind: 'act'; action: Action<Row>; rows: readonly Row[] }
  | { kind: 'run'; task: Task<Row>; rows: Rows<Row>; taskId: string };

interface Ordered<Row, R extends Route> extends ActionHead<Row> {
  route: R;
  order: (row: Row, reason: string, tools: ListTools) => CallOptions<R>;
  confirm?: Confirmation<Row>;
  /** Message after success; may use `{name}`, `{count}` and the fields of the answer. Absent where the row itself shows the change at once. */
  done?: Text;
  batch?: Action<Row>['batch'];
  removesRow?: boolean;
  /** Link in the message after success, to what the order has started. */
  started?: { label: Text; to: (answer: ResponseOf<R>) => string };
}

export const labelOf = <Row>({ label }: Action<Row>, row: Row): Text => (typeof label === 'function' ? label(row) : label);

/** An action of a row as it is offered to the user. */
export interface Offer<Row> {
  action: Action<Row>;
  label: string;
  /** Why the action is refused for this row; undefined: it is not. */
  refusal: string | undefined;
}

/** Whether an action may be started on a row, apart from the user's right. */
export const isOffered = <Row>({ when, refusedBy }: Action<Row>, row: Row, tools: ListTools): boolean =>
  when?.(row, tools) !== false && refusedBy?.(row, tools) === undefined;

/** The actions that the user may apply to a row, in the order of their declaration. */
export function offersOf<Row>(actions: readonly Action<Row>[], row: Row, tools: ListTools): Offer<Row>[] {
  return actions
    .filter(({ right, when }) => tools.may(right) && when?.(row, tools) !== false)
    .map((action) => {
      const refusal = action.refusedBy?.(row, tools);
      return { action, label: tools.say(labelOf(action, row)), refusal: refusal && tools.say(refusal) };
    });
}

interface JointlyOrdered<Row, R extends Route> extends ActionHead<Row> {
  route: R;
  order: (rows: readonly Row[], reason: string) => CallOptions<R>;
  confirm?: Confirmation<Row>;
  done?: Text | ((answer: ResponseOf<R>) => Text | Notice);
  batch?: Action<Row>['batch'];
  /** The address after success, such as of the run that was started. The selection stays. */
  shows?: (answer: ResponseOf<R>) => UrlWords;
}

/** An action that sends one call for all rows. */
export const defineJointAction = <Row, const R extends Route>({
  route,
  order,
  confirm,
  done,
  shows,
  ...head
}: JointlyOrdered<Row, R>): Action<Row> => ({
  ...head,
  right: route,
  act: {
    kind: 'order',
    isJoint: true,
    send: (rows, reason) => call(route, order(rows, reason)),
    removesRow: false,
    ...(done ? { done: typeof done === 'function' ? (answer) => done(answer as ResponseOf<R>) : done } : {}), // as: the answer of that route
    ...(confirm ? { confirm } : {}),
    ...(shows ? { shows: (answer) => shows(answer as ResponseOf<R>) } : {}), // as: the answer of that route
  },
});

/** An action that sends one call for each row; a refusal does not prevent the others. */
export const defineAction = <Row, const R extends Route>({
  route,
  order,
  confirm,
  done,
  removesRow = false,
  started,
  ...head
}: Ordered<Row, R>): Action<Row> => ({
  ...head,
  right: route,
  act: {
    kind: 'order',
    isJoint: false,
    send: ([row], reason, tools) => call(route, order(row, reason, tools)),
    removesRow,
    ...(done ? { done } : {}),
    ...(confirm ? { confirm } : {}),
    ...(started ? { started: { ...started, to: (answer) => started.to(answer as ResponseOf<R>) } } : {}), // as: the answer of that route
  },
});
