import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation, useNavigate, useRouteError } from 'react-router';
import { plainPath } from '#core/url/addresses.ts';
import { hasDraft } from '#kit/form/drafts.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { CrashedPage } from '#kit/page/crashed-page.tsx';
import { LineDrawing } from '#kit/basics/line-drawings.tsx';
import { NoticePage } from '#kit/page/notice-page.tsx';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { HOME } from '#core/url/pages.ts';
import { messages } from '#app/messages.ts';
import { firstPageIn, useModules } from '#app/modules/modules.ts';

const texts = { ...common, ...messages };

function HomeButton() {
  const t = useMessages(common);
  const navigate = useNavigate();
  return (
    <PlainButton look="primary" onClick={() => void navigate(HOME)}>
      {t('backHome')}
    </PlainButton>
  );
}

/** A group has no page: redirects to its first page. */
export function GroupHome({ path }: { path: string }) {
  const modules = useModules();
  return modules.data ? <Navigate replace to={firstPageIn(modules.data, path) ?? HOME} /> : null;
}

export function NotFound() {
  const t = useMessages(texts);
  const { pathname } = useLocation();
  return (
    <NoticePage
      drawing={<LineDrawing kind="gap" />}
      title={`404 · ${t('notFound')}`}
      hint={
        <>
          <p>{t('notFoundHint')}</p>
          <p className="mono">{pathname}</p>
        </>
      }
    >
      <HomeButton />
    </NoticePage>
  );
}

/** `/redirect/{path}` redirects to the path; this is how a tab is reloaded. */
export function Redirect() {
  const { pathname, search } = useLocation();
  const queryClient = useQueryClient();
  // Marks all queries as stale, so that the reloaded page refetches them; visible queries are not refetched.
  useEffect(() => void queryClient.invalidateQueries({ refetchType: 'none' }), [queryClient]);
  return <Navigate replace to={plainPath(pathname.replace(/^\/redirect/, '')) + search} />;
}

/** Shown when rendering a page or loading its code failed. */
export function Crashed() {
  return <CrashedPage error={useRouteError()} isTyped={isTyped} />;
}

/** Whether a reload would lose input on any open page. Text in filters counts too: a needless question is the lesser evil. */
const isTyped = (): boolean =>
  hasDraft(() => true) ||
  [
    ...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
      'input:not([type="checkbox"], [type="radio"], [readonly]), textarea',
    ),
  ].some(({ value }) => value !== '');
