import { Navigate, Outlet, useLocation } from 'react-router';
import { plainPath } from '#core/url/addresses.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { metaOf } from '#core/url/pages.ts';
import { useDocumentTitle } from './use-document-title.ts';

/**
 * Outermost route: sets the document title and removes trailing slashes. No page renders before the redirect, because it could navigate
 * from an address that is about to change.
 */
export function DocumentTitle() {
  const say = useSay();
  const { pathname, search, hash } = useLocation();
  const { title } = metaOf(pathname);
  useDocumentTitle(title && say(title));
  const path = plainPath(pathname);
  return path === pathname ? <Outlet /> : <Navigate replace to={path + search + hash} />;
}
