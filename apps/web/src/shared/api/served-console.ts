import { create } from 'zustand';

/** What the head-end serves now: this console, another that took its place, or nothing that answers. */
export type ServedConsole = 'same' | 'another' | 'silent';

const ANSWER_LIMIT_MS = 10_000;
const NOT_FOUND = 404;

/** Whether another console is known to have taken the place of this one; only reloading ends that. */
export const useServedConsole = create<{ isAnother: boolean }>()(() => ({ isAnother: false }));

/** The file this console began with. A hash of all that it leads to is in its name, so that another console does not have it. */
export const beginning = (): string => document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? location.href;

export async function askForConsole(): Promise<ServedConsole> {
  try {
    const answer = await fetch(beginning(), { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    if (answer.ok) return 'same';
    if (answer.status !== NOT_FOUND) return 'silent';
    useServedConsole.setState({ isAnother: true });
    return 'another';
  } catch {
    return 'silent';
  }
}
