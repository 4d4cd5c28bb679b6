import { token } from '@hes/contract/auth/token.ts';
import type { QueryClient } from '@tanstack/react-query';
import { abortPending, api } from '#shared/api/client.ts';
import { dropDrafts } from '#shared/form/drafts.ts';
import { clearSession } from '#shared/api/session.ts';
import { resetTabs } from './tabs.ts';

/** Tells the server, closes the socket (it follows the session), forgets user, token, tabs and modules. */
export async function logOut(queries: QueryClient, tellServer = true): Promise<void> {
  if (tellServer) await api.post(token.revoke);
  abortPending();
  clearSession();
  resetTabs();
  // Who was thrown out finds the drafts again after the next sign-in; who goes leaves nothing behind.
  if (tellServer) dropDrafts(() => true);
  queries.clear();
}
