import type { z } from 'zod';
import type { DcuPart } from '../asset/dcu-part.ts';
import type { Danger } from '../core/guard.ts';
import type { Text } from '../core/text.ts';
import type { AuditAction } from '../audit/actions.ts';
import type { ResultPart } from './results.ts';
import { PAGE_PATH, type PagePath } from '../page/paths.ts';

/** Name of an order, and the labels of its items by state. */
export interface OrderWords {
  name: Text;
  waiting: Text;
  running: Text;
  succeeded: Text;
  failed: Text;
}

/** `server`: the server computes the result from stored data, and the task has no items. */
export type OrderTarget = 'dcu' | 'meter' | 'device' | 'server';

/** How the page of device commands offers an order. Its params become a form, their defaults the values of the form. */
export interface CommandForm {
  /** Effect of the command on a device, and its purpose. */
  help: Text;
  /** Labels of the params. */
  fields: Readonly<Record<string, Text>>;
  /** Labels of the values that an item returns, by their `item`. */
  facts: Readonly<Record<string, Text>>;
}

/** Behaviour if the device is not connected: the item fails after a short wait, waits until it expires, or the caller chooses. */
export type WhenOffline = 'fails' | 'waits' | 'chosen';

/**
 * An order to devices, declared once. `placeOrder` writes task, items, audit row and command log from it; the queue, the field engine, the
 * guard and the console read it. A declaration that lacks a part does not compile.
 */
export interface Order {
  target: OrderTarget;
  /** Shape of `task.params`, without the rule of retries. A task of an earlier version is parsed by it, too. */
  params: z.ZodRawShape;
  /** Parts of an item's result. */
  result: readonly ResultPart[];
  /** 1 (relay) to 9 (refill); items up to 4 precede scheduled collection. */
  priority: number;
  /** Danger of sending an item; `GUARDS` has the requirements that follow. */
  danger: Danger;
  /** Every device gets an entry in the command log when the order is placed, and another one with its outcome. */
  changesDevice: boolean;
  /**
   * An item whose first attempt has begun may have been executed already: it is not cancelled, nor failed for an unreachable DCU, before
   * the device is read back.
   */
  needsReadBack: boolean;
  whenOffline: WhenOffline;
  /** Part of the DCU that an item for the DCU itself needs. Without it the item ends before anything is sent. */
  needs: DcuPart | null;
  /** The order only reads and can be rerun. Orders that change a device are placed on their page, which asks for confirmation. */
  mayRepeat: boolean;
  /** A network is not switched while an item is open. */
  mustNotBeInterrupted: boolean;
  /** An item may take hours, and keeps its slot on the DCU's channel until it ends. */
  takesLong: boolean;
  /** False for orders that are paused or ended by their own calls. */
  mayPause: boolean;
  /** The page whose right `execute` permits the order, and permits steering what others ordered. */
  page: PagePath;
  /** That page shows the run as well: its address takes `task`. */
  showsRun: boolean;
  /** Written when a person places the order; null for readings that leave their traces in the task itself. */
  audit: AuditAction | null;
  words: OrderWords;
  /** Whether tasks also have a title, such as the name of a plan, a type or a period. */
  hasOwnTitle: boolean;
  /** For an order whose `params.mode` decides what it does: words and audit action that differ from those above. */
  modes: Readonly<Record<string, { words: OrderWords; audit: AuditAction }>> | null;
  /** The page of device commands offers the order, and its route is derived from the declaration; null for orders with a separate route. */
  command: CommandForm | null;
}

/** Members that most orders leave at the careful or usual value. */
const USUAL = {
  danger: 'nothing',
  needsReadBack: false,
  mustNotBeInterrupted: false,
  takesLong: false,
  whenOffline: 'fails',
  needs: null,
  mayPause: true,
  showsRun: true,
  audit: null,
  hasOwnTitle: false,
  modes: null,
  command: null,
} as const satisfies Partial<Order>;
type Usual = keyof typeof USUAL;

type Declared = Omit<Order, Usual> & Partial<Pick<Order, Usual>>;
type Complete<D extends Declared> = Omit<Order, 'params' | 'result' | 'target'> & {
  params: D['params'];
  result: D['result'];
  target: D['target'];
};

export const defineOrder = <const D extends Declared>(declared: D): Complete<D> =>
  // as: every member is set by the declaration or by `USUAL`.
  ({ ...USUAL, ...declared }) as unknown as Complete<D>;

/** The page that offers every order with a form. */
const COMMANDS_PAGE = PAGE_PATH.deviceCommands;

/** An order without a separate page or route. */
export const defineCommand = <const D extends Omit<Declared, 'page' | 'audit'> & { command: CommandForm }>(declared: D) =>
  defineOrder({ ...declared, page: COMMANDS_PAGE, audit: declared.changesDevice ? 'command_ordered' : null });

type Pair = readonly [en: string, zh: string];
const text = ([en, zh]: Pair): Text => ({ en, zh });
const WAITING: Text = { en: 'Waiting', zh: '等待中' };

/** The words of a reading. @spec seed §4 */
export const readingWords = (...name: Pair): OrderWords => ({
  name: text(name),
  waiting: WAITING,
  running: { en: 'Reading', zh: '抄读中' },
  succeeded: { en: 'Read success', zh: '抄读成功' },
  failed: { en: 'Read fail', zh: '抄读失败' },
});

/** The words of an order that is not a reading. */
export const orderWords = (name: Pair, words: { running: Pair; succeeded: Pair; failed: Pair }): OrderWords => ({
  name: text(name),
  waiting: WAITING,
  running: text(words.running),
  succeeded: text(words.succeeded),
  failed: text(words.failed),
});
