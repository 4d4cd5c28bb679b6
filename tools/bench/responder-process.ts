import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Starts the meters as a separate process, with the memory defaults of Node instead of the head-end's flags. */
export const startResponder = (): ChildProcess => fork(new URL('responder.ts', import.meta.url), { stdio: 'inherit', execArgv: [] });

/** Sends an order and waits for its result, one at a time. */
export async function ask(responder: ChildProcess, order: object): Promise<unknown> {
  responder.send(order);
  const [answer] = await once(responder, 'message');
  return answer;
}
