import { Navigate, Outlet, useLocation } from 'react-router';
import { plainPath } from '#shared/api/addresses.ts';
import { useSay } from '#shared/i18n/use-messages.ts';
import { metaOf } from '../page-meta.ts';
import { useDocumentTitle } from './use-document-title.ts';

/** Outermost route: document title from the page's own, and no trailing slashes. A page must not lead on from an address that is about to change. */
export function DocumentTitle() {
  const say = useSay();
  const { pathname, search, hash } = useLocation();
  const { title } = metaOf(pathname);
  useDocumentTitle(title && say(title));
  const path = plainPath(pathname);
  return path === pathname ? <Outlet /> : <Navigate replace to={path + search + hash} />;
}
