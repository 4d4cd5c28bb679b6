import type { Route } from '@hes/contract/core/route.ts';
import type { Locale, Text, TextParams } from '@hes/contract/core/text.ts';
import type { OwnUser } from '@hes/contract/manager/user.ts';
import type { ReactNode } from 'react';

/** Translation, rights and user, for cells and actions. */
export interface ListTools {
  say: (text: Text, params?: TextParams) => string;
  locale: Locale;
  may: (route: Pick<Route, 'allow'>) => boolean;
  /** The signed-in user; undefined while it loads. */
  me: OwnUser | undefined;
  /** Ids of a row and its siblings in their order, in a list that is a tree. */
  siblingsOf: (id: string) => readonly string[];
}

/** Props of a form of a list, in a drawer. */
export interface FormProps<Row> {
  /** The record to change; undefined: a new one. */
  row: Row | undefined;
  /** Called when the record is stored. */
  onDone: () => void;
  onClose: () => void;
}

/** Props of the details of the selected row. */
export interface PaneProps<Row> {
  id: string;
  /** The rows of the page, for the buttons to the neighbouring row. */
  rows: readonly Row[];
  select: (id: string | undefined) => void;
  /** The actions of a row as buttons. A pane with buttons of its own may do without a main one. */
  buttonsOf: (row: Row, options?: { hasMain?: boolean }) => ReactNode;
  /** Reads the list again after the pane has changed a row. */
  reload: () => void;
}

/** A component by its function type: one that takes more general rows serves lists of special ones, which `ComponentType` forbids. */
export type Part<Props> = (props: Props) => ReactNode;
