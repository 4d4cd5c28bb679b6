/** `dlms-node/meter`: an open meter. */
export { connectSession } from '../client-session.ts';
