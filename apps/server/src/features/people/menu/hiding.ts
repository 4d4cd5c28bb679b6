import { actionsOfPage, hasRights } from '@hes/contract/page-actions.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User } from '#db/context.ts';

/** A page with rights keeps its row and its path, because roles refer to them. Removing it from the menu hides it. */
export const isKept = ({ type, path }: Pick<ModuleRow, 'type' | 'path'>): boolean => type === 'page' && hasRights(path);

/** Only a user with all rights on a page in the whole network may hide it for all users. */
export function requireMayHide({ actions }: User, path: string): void {
  const own = actions.get(path);
  if (!actionsOfPage(path).every((action) => own?.get(action)?.kind === 'whole')) throw new ApiError('BEYOND_OWN_RIGHTS');
}
