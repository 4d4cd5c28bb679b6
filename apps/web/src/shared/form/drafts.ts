import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { create } from 'zustand';
import { useSession } from '#shared/api/session.ts';
import type { Form } from './use-form.ts';

/** Unsaved input of a form. Kept in memory only, because it may contain passwords. */
interface Draft {
  owner: string;
  path: string;
  title: string;
  values: object;
}

const useStore = create<{ drafts: readonly Draft[] }>()(() => ({ drafts: [] }));
const ownerNow = (): string => useSession.getState().user?.id ?? '';

/** Drafts of the signed-in user. After the session expired, only the same user gets them back. */
export function useDrafts(): Draft[] {
  const owner = useSession((state) => state.user?.id ?? '');
  const drafts = useStore((state) => state.drafts);
  return drafts.filter((draft) => draft.owner === owner);
}
export const hasDraft = (isMeant: (path: string) => boolean): boolean =>
  useStore.getState().drafts.some((draft) => draft.owner === ownerNow() && isMeant(draft.path));

/** Drops drafts when their page is closed or the user signs out. */
export const dropDrafts = (isDropped: (path: string) => boolean): void =>
  useStore.setState(({ drafts }) => ({ drafts: drafts.filter((draft) => !isDropped(draft.path)) }));

const isOf =
  ({ owner, path, title }: Omit<Draft, 'values'>) =>
  (draft: Draft) =>
    draft.owner === owner && draft.path === path && draft.title === title;

function put(draft: Omit<Draft, 'values'>, values: object | undefined): void {
  const isThis = isOf(draft);
  useStore.setState(({ drafts }) => ({ drafts: [...drafts.filter((known) => !isThis(known)), ...(values ? [{ ...draft, values }] : [])] }));
}

/**
 * Keeps the input of a form when the user leaves the page, and restores it when the same form is opened again. Returns whether a draft was
 * restored. A form that closes while its page is open drops its draft.
 */
export function useDraft<V extends object>(form: Form<V>, title: string): boolean {
  const { pathname } = useLocation();
  const [path] = useState(pathname);
  const [owner] = useState(ownerNow);
  const [found] = useState(() => useStore.getState().drafts.find(isOf({ owner, path, title })));
  const latest = useRef(form);
  latest.current = form;
  useEffect(() => {
    if (found) latest.current.set(found.values as Partial<V>); // as: what this very form was filled with
  }, [found]);
  useEffect(
    () => () => {
      if (location.pathname.endsWith(path)) put({ owner, path, title }, undefined);
    },
    [owner, path, title],
  );
  const { isChanged, values } = form;
  const wasChanged = useRef(false);
  useEffect(() => {
    if (isChanged || wasChanged.current) put({ owner, path, title }, isChanged ? values : undefined);
    wasChanged.current = isChanged;
  }, [owner, path, title, isChanged, values]);
  return found !== undefined;
}
