import type { Context } from '#db/context.ts';

/** Closes the live sockets of a session at this server. */
export function announceSessionEnd(ctx: Context, sessionId: string, reason: string): void {
  ctx.bus.publish(`session:${sessionId}`, {
    type: 'session.revoked',
    ts: new Date(ctx.clock.now()).toISOString(),
    id: '0',
    data: { reason },
  });
}
