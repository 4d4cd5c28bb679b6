import { useEffect, useRef, useState } from 'react';
import { useHref, useLocation } from 'react-router';
import { create } from 'zustand';
import { useSession } from '#core/session/session.ts';
import type { Form } from './use-form.ts';

/** Unsaved input of a form. Kept in memory only, because it may contain passwords. */
interface Draft extends DraftOf {
  owner: string;
  path: string;
  /** Only what the user changed: other fields may have been changed by another user meanwhile. */
  values: object;
  /** The stored values of these fields when the user changed them. */
  of: object;
}

export interface DraftOf {
  /** Identity of the edited record, such as `supplier/7`: neither the language nor another record of the same name changes it. */
  record: string;
  /** Name of the form for the tooltip of its tab. */
  title: string;
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

type Identity = Pick<Draft, 'owner' | 'path' | 'record'>;

const isOf =
  ({ owner, path, record }: Identity) =>
  (draft: Identity) =>
    draft.owner === owner && draft.path === path && draft.record === record;

function put(draft: Omit<Draft, 'values' | 'of'>, values: object | undefined, of: object = {}): void {
  const isThis = isOf(draft);
  useStore.setState(({ drafts }) => ({
    drafts: [...drafts.filter((known) => !isThis(known)), ...(values ? [{ ...draft, values, of }] : [])],
  }));
}

/**
 * Keeps the input of a form when the user leaves the page, and restores it when the same form is opened again. Returns whether a draft was
 * restored. A drawer that closes while its page is open drops its draft; a form within its page keeps it (`stays`) until it is saved or undone.
 */
export function useDraft<V extends object>(form: Form<V>, { record, title }: DraftOf, stays = false): boolean {
  const { pathname } = useLocation();
  const [path] = useState(pathname);
  const href = useHref(path);
  const [owner] = useState(ownerNow);
  const [found] = useState(() => useStore.getState().drafts.find(isOf({ owner, path, record })));
  const latest = useRef({ form, title });
  latest.current = { form, title };
  useEffect(() => {
    if (found) latest.current.form.restore(found.values as Partial<V>, found.of as Partial<V>); // as: what this very form was filled with
  }, [found]);
  useEffect(
    () => () => {
      if (!stays && location.pathname === href) put({ owner, path, record, title: '' }, undefined);
    },
    [owner, path, href, record, stays],
  );
  const { isChanged, values, changes, of } = form;
  const wasChanged = useRef(false);
  useEffect(() => {
    if (isChanged || wasChanged.current) put({ owner, path, record, title: latest.current.title }, isChanged ? changes : undefined, of);
    wasChanged.current = isChanged;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `changes` follow from `values`
  }, [owner, path, record, isChanged, values]);
  return found !== undefined;
}

/**
 * Unsaved input of an editor without a stored record, such as a wizard. It stays while another page is shown, until it is set to undefined:
 * when it is saved or undone.
 */
export function usePageDraft<V extends object>({ record, title }: DraftOf): [values: V | undefined, set: (values: V | undefined) => void] {
  const { pathname: path } = useLocation();
  const owner = useSession((state) => state.user?.id ?? '');
  const isThis = isOf({ owner, path, record });
  const found = useStore((state) => state.drafts.find(isThis)?.values);
  return [found as V | undefined, (values) => put({ owner, path, record, title }, values)]; // as: what this very editor set
}
