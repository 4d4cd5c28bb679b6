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

export function HomeButton() {
  const t = useMessages(common);
  const navigate = useNavigate();
  return (
    <PlainButton look="primary" onClick={() => void navigate(HOME)}>
      {t('backHome')}
    </PlainButton>
  );
}

/** A page of the menu that does not exist yet says so, and what it will do. */
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

/** A group is no page: it leads to the first one in it. */
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

/** `/redirect/{path}` replaces itself by the path: the way a tab is reloaded. */
export function Redirect() {
  const { pathname, search } = useLocation();
  const queryClient = useQueryClient();
  // What is reloaded is asked for again, however lately it was; what stays on screen is left alone.
  useEffect(() => void queryClient.invalidateQueries({ refetchType: 'none' }), [queryClient]);
  return <Navigate replace to={plainPath(pathname.replace(/^\/redirect/, '')) + search} />;
}

/** Something broke while showing a page, or its file could not be loaded. */
export function Crashed() {
  return <CrashedPage error={useRouteError()} isTyped={isTyped} />;
}

/** Whether anything on any page that is kept would be lost by reloading. What is written in a filter counts: better one press too many. */
const isTyped = (): boolean =>
  hasDraft(() => true) ||
  [
    ...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
      'input:not([type="checkbox"], [type="radio"], [readonly]), textarea',
    ),
  ].some(({ value }) => value !== '');
