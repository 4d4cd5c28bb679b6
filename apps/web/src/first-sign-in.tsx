import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useEffect } from 'react';
import { useSay } from './core/i18n/use-messages.ts';
import { Controls } from './kit/theme/controls.tsx';
import { SignIn } from './pages/login/sign-in.tsx';
import type { SignInProps } from './pages/login/use-login.ts';
import { PAGES } from './core/url/pages.ts';
import { useDocumentTitle } from './app/frame/use-document-title.ts';

/** The sign-in page when it is opened by its address: rendered without the code of the console and its router. */
export function FirstSignIn(props: Omit<SignInProps, 'redirect'>) {
  const say = useSay();
  useDocumentTitle(say(PAGES[PAGE_PATH.login].title));
  useEffect(() => {
    const { pathname, search } = location;
    if (pathname.endsWith('/')) history.replaceState(null, '', pathname.replace(/\/+$/, '') + search);
  }, []);
  return (
    <Controls>
      <SignIn {...props} redirect={new URLSearchParams(location.search).get('redirect')} />
    </Controls>
  );
}
