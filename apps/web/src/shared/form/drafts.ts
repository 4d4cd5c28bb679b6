import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { create } from 'zustand';
import { useSession } from '#shared/api/session.ts';
import type { Form } from './use-form.ts';

/** What was typed into a form and not saved: in memory only, for passwords may be among it. */
interface Draft {
  owner: string;
  path: string;
  title: string;
  values: object;
}

const useStore = create<{ drafts: readonly Draft[] }>()(() => ({ drafts: [] }));
const ownerNow = (): string => useSession.getState().user?.id ?? '';

/** Drafts of who is signed in: a session that ran out leaves them to its user and to nobody else. */
export function useDrafts(): Draft[] {
  const owner = useSession((state) => state.user?.id ?? '');
  const drafts = useStore((state) => state.drafts);
  return drafts.filter((draft) => draft.owner === owner);
}
export const hasDraft = (isMeant: (path: string) => boolean): boolean =>
  useStore.getState().drafts.some((draft) => draft.owner === ownerNow() && isMeant(draft.path));

/** Of pages that are closed, and of who signs out. */
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
 * Who goes to another page leaves what was typed behind, and finds it again in the same form. True: it was found.
 * What is saved or discarded ends with its form, while its page is still there.
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
