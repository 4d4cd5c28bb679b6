import { create } from 'zustand';

/** The console that the head-end serves now: this version, another version, or unknown because it does not answer. */
export type ServedConsole = 'same' | 'another' | 'silent';

const ANSWER_LIMIT_MS = 10_000;
const NOT_FOUND = 404;

/** Whether the head-end is known to serve another version of the console. Only a reload resets it. */
export const useServedConsole = create<{ isAnother: boolean }>()(() => ({ isAnother: false }));

/** Address of the entry script. Its name contains a hash of the whole bundle, so it identifies the version of the console. */
export const entryScript = (): string => document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? location.href;

export async function checkServedConsole(): Promise<ServedConsole> {
  try {
    const answer = await fetch(entryScript(), { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    if (answer.ok) return 'same';
    if (answer.status !== NOT_FOUND) return 'silent';
    useServedConsole.setState({ isAnother: true });
    return 'another';
  } catch {
    return 'silent';
  }
}
