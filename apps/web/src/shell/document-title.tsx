import { useEffect } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { useSay } from '#shared/i18n/use-messages.ts';
import { metaOf } from '../page-meta.ts';
import { useDocumentTitle } from './use-document-title.ts';

/** Outermost route: document title from the page's own, and no trailing slashes. */
export function DocumentTitle() {
  const say = useSay();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const { title } = metaOf(pathname);
  useDocumentTitle(title && say(title));
  useEffect(() => {
    if (pathname.length > 1 && pathname.endsWith('/')) void navigate(pathname.replace(/\/+$/, '') + search, { replace: true });
  }, [pathname, search, navigate]);
  return <Outlet />;
}
