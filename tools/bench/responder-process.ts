import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The meters' side in a process of its own. It is no head-end: it has the memory Node gives anybody, and not the flags of ours. */
export const startResponder = (): ChildProcess => fork(new URL('responder.ts', import.meta.url), { stdio: 'inherit', execArgv: [] });

/** What it answers to an order, one at a time. */
export async function ask(responder: ChildProcess, order: object): Promise<unknown> {
  responder.send(order);
  const [answer] = await once(responder, 'message');
  return answer;
}
