import { setting } from '@hes/contract/manager/setting.ts';
import { implement } from '#http/implement.ts';
import { changeSetting, getSetting, listSettings } from './service.ts';

export const settingRoutes = implement(setting, {
  list: async ({ ctx }) => ({ items: await listSettings(ctx) }),
  get: ({ ctx, params }) => getSetting(ctx, params.key),
  update: ({ ctx, user, params, body, locale, wire }) =>
    changeSetting(ctx, user, { key: params.key, value: body.value, version: body.version, ip: wire.ip, locale }),
});
