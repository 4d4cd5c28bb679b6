import { module as routes, type ModuleRow } from '@hes/contract/manager/module.ts';
import { useApiQuery } from '#core/api/hooks.ts';

const NONE: readonly ModuleRow[] = [];

/** All modules, which the list has read. */
export const useModules = (): readonly ModuleRow[] => useApiQuery(routes.list).data?.items ?? NONE;
