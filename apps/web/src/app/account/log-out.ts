import { token } from '@hes/contract/auth/token.ts';
import type { QueryClient } from '@tanstack/react-query';
import { abortPending, api } from '#core/api/client.ts';
import { dropDrafts } from '#kit/form/drafts.ts';
import { clearSession } from '#core/session/session.ts';
import { resetTabs } from '#app/tabs/tabs.ts';

/** Revokes the token, ends the session (which closes the socket), and drops user, token, tabs and modules. */
export async function logOut(queries: QueryClient, tellServer = true): Promise<void> {
  if (tellServer) await api.post(token.revoke);
  abortPending();
  clearSession();
  resetTabs();
  // After an expired session the user gets the drafts back at the next sign-in; signing out drops them.
  if (tellServer) dropDrafts(() => true);
  queries.clear();
}
