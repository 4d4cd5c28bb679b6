import type { Route } from '@hes/contract/core/route.ts';
import { BatchButton } from './batch-button.tsx';
import type { ListState } from './use-list.ts';

/** Buttons of the batch actions that a page always shows. A missing selection is reported when a button is pressed. */
export const PageActions = <R extends Route>({ list }: { list: ListState<R> }) =>
  list.batch.filter(({ batch }) => batch.isOnPage).map((action) => <BatchButton key={action.key} list={list} action={action} />);
