import { actionsOfPage, hasRights } from '@hes/contract/page-actions.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User } from '#db/context.ts';

/** Pages with rights keep their row and path, so that a change of the menu never changes what a role may do. They are hidden instead. */
export const isKept = ({ type, path }: Pick<ModuleRow, 'type' | 'path'>): boolean => type === 'page' && hasRights(path);

/** A page is hidden from everybody only by a caller who may do everything on it, in the whole network. */
export function requireMayHide({ actions }: User, path: string): void {
  const own = actions.get(path);
  if (!actionsOfPage(path).every((action) => own?.get(action)?.kind === 'whole')) throw new ApiError('BEYOND_OWN_RIGHTS');
}
