import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation, useNavigate, useRouteError } from 'react-router';
import { plainPath } from '#shared/api/addresses.ts';
import { hasDraft } from '#shared/form/drafts.ts';
import { common } from '#shared/i18n/common.messages.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { CrashedPage } from '#shared/ui/crashed-page.tsx';
import { LineDrawing } from '#shared/ui/line-drawings.tsx';
import { NoticePage } from '#shared/ui/notice-page.tsx';
import { PlainButton } from '#shared/ui/plain-button.tsx';
import { HOME } from '../page-list.ts';
import { purposes, titles, type PlannedPath } from '../page.messages.ts';
import { messages } from './messages.ts';
import { firstPageIn, useModules } from './modules.ts';

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

/** Placeholder of a planned page, with its purpose. */
export function NotBuilt({ path }: { path: PlannedPath }) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <NoticePage
      drawing={<LineDrawing kind="dashed" />}
      title={`${say(titles[path])}: ${t('notBuilt')}`}
      hint={`${t('notBuiltHint')} ${say(purposes[path])}`}
    >
      <HomeButton />
    </NoticePage>
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
