import { LIVE_PROTOCOL, liveTicketProtocol } from '@hes/contract/core/live.ts';
import { WebSocket } from 'ws';

/** A ticket for the live socket of the session behind this token; undefined: the session is refused one. */
export async function liveTicket(base: string, token: string): Promise<string | undefined> {
  const answer = await fetch(`http://${base}/api/auth/live-ticket`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  return answer.ok ? ((await answer.json()) as { ticket: string }).ticket : undefined; // as: the route's answer
}

export const socketWith = (base: string, ticket: string, origin = `http://${base}`): WebSocket =>
  new WebSocket(`ws://${base}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(ticket)], { origin });

/** The live socket of a session, as a console opens it; without a session, with a ticket that was never issued. */
export const openLive = async (base: string, token: string, origin?: string): Promise<WebSocket> =>
  socketWith(base, (await liveTicket(base, token)) ?? 'none', origin);
