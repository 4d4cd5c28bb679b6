import { alarm } from '@hes/contract/alarm/alarm.ts';
import { alarmChannel } from '@hes/contract/alarm/channel.ts';
import { alarmRecipient } from '@hes/contract/alarm/recipient.ts';
import { alarmRule } from '@hes/contract/alarm/rule.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { changeChannel, createChannel, listChannels, pauseChannel, removeChannel, testChannel } from './channel-service.ts';
import { alarmSheet } from './export-alarms.ts';
import { acknowledgeById, acknowledgeByLink, listAlarms } from './log-service.ts';
import { changeRecipient, createRecipient, listRecipients, removeRecipient } from './recipient-service.ts';
import { changeRule, createRule, listRules, pauseRule, removeRule } from './rule-service.ts';

/** `networks`: internal networks that channels may reach. */
export const routesOfAlarms = (networks: readonly string[]): Implemented[] => [
  ...exportRoutes(alarmSheet),
  ...implement(alarm, {
    list: ({ ctx, user, query }) => listAlarms(ctx, user, query),
    acknowledge: ({ ctx, user, params, wire }) => acknowledgeById(ctx, { user, ip: wire.ip }, params.id),
    acknowledgeByLink: ({ ctx, user, body, wire }) => acknowledgeByLink(ctx, { user, ip: wire.ip }, body.link),
  }),
  ...implement(alarmRule, {
    list: ({ ctx, user, query }) => listRules(ctx, user, query),
    create: ({ ctx, user, body, wire }) => createRule(ctx, { user, ip: wire.ip }, body),
    update: ({ ctx, user, params, body, wire }) => changeRule(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    remove: ({ ctx, user, params, wire }) => removeRule(ctx, { user, ip: wire.ip }, params.id),
    pause: ({ ctx, user, params, wire }) => pauseRule(ctx, { user, ip: wire.ip }, params.id, true),
    resume: ({ ctx, user, params, wire }) => pauseRule(ctx, { user, ip: wire.ip }, params.id, false),
  }),
  ...implement(alarmChannel, {
    list: ({ ctx, user, query }) => listChannels(ctx, user, query),
    create: ({ ctx, user, body, wire }) => createChannel(ctx, { user, ip: wire.ip }, body),
    update: ({ ctx, user, params, body, wire }) => changeChannel(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    remove: ({ ctx, user, params, wire }) => removeChannel(ctx, { user, ip: wire.ip }, params.id),
    pause: ({ ctx, user, params, wire }) => pauseChannel(ctx, { user, ip: wire.ip }, params.id, true),
    resume: ({ ctx, user, params, wire }) => pauseChannel(ctx, { user, ip: wire.ip }, params.id, false),
    test: ({ ctx, user, params, body, wire }) => testChannel(ctx, { user, ip: wire.ip }, { ...params, ...body, networks }),
  }),
  ...implement(alarmRecipient, {
    list: ({ ctx, user, query }) => listRecipients(ctx, user, query),
    create: ({ ctx, user, body, wire }) => createRecipient(ctx, { user, ip: wire.ip }, body),
    update: ({ ctx, user, params, body, wire }) => changeRecipient(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    remove: ({ ctx, user, params, wire }) => removeRecipient(ctx, { user, ip: wire.ip }, params.id),
  }),
];
