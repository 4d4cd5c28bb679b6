import { EVERYONE, topicOfUser } from '../platform/bus.ts';
import type { Context } from './context.ts';

type About = 'permissions' | 'modules' | 'settings';

/** Publishes a change to open consoles and to the caches of rights. */
export function publishNotice(ctx: Context, about: About, userIds?: readonly string[]): void {
  const message = { type: 'notice', ts: new Date(ctx.clock.now()).toISOString(), id: '0', data: { about } } as const;
  if (userIds === undefined) ctx.bus.publish(EVERYONE, message);
  else for (const userId of userIds) ctx.bus.publish(topicOfUser(userId), message);
}
