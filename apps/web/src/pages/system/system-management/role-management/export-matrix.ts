import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { AREA_TEXT } from '@hes/contract/manager/area.ts';
import { ACTIONS } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { role as roles } from '@hes/contract/manager/role.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { roleAbout, roleName } from '@hes/contract/text/roles.ts';
import { call } from '#core/api/client.ts';
import { RequestFailed } from '#core/api/errors.ts';
import { everyRow } from '#core/api/every-row.ts';
import type { T } from './texts.ts';

/** One row per page of each role with the allowed actions, for audits. */
export async function roleMatrix(t: T, say: (text: Text) => string, query: QueryOf<typeof roles.list>): Promise<unknown[][]> {
  const [list, modules] = await Promise.all([everyRow(roles.list, query), call(roles.modules)]);
  if (!modules.ok) throw new RequestFailed(modules.error);
  const byId = new Map(modules.data.items.map((module) => [module.id, module]));
  const lines = await Promise.all(
    list.map(async (role) => {
      const permission = await call(roles.permission, { params: { id: role.id } });
      if (!permission.ok) throw new RequestFailed(permission.error);
      const { area } = permission.data;
      const nodes =
        area.kind === 'nodes'
          ? area.nodes.map(({ key, title, above }) => [...above.map((level) => level.title), title ?? key].join(' / '))
          : [];
      const head = [role.code, say(roleName(role)), say(roleAbout(role)), [say(AREA_TEXT[area.kind]), ...nodes].join('; ')];
      if (permission.data.actions.length === 0) return [head];
      return permission.data.actions.map(({ moduleId, actions }) => {
        const module = byId.get(moduleId);
        return [
          ...head,
          module ? say({ en: module.nameEn, zh: module.nameZh }) : moduleId,
          module?.path,
          ...ACTIONS.map((action) => (actions.includes(action) ? 'x' : '')),
        ];
      });
    }),
  );
  const head = [
    t('code'),
    t('name'),
    t('description'),
    t('networkArea'),
    t('module'),
    t('path'),
    ...ACTIONS.map((action) => say(ACTION_TEXT[action])),
  ];
  return [head, ...lines.flat()];
}
