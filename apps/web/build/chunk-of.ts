import path from 'node:path';
import type { Rolldown } from 'vite';

type Context = Rolldown.ChunkingContext;

const src = path.resolve(import.meta.dirname, '../src');
/** The bundler's name of a source, which has the same slashes everywhere. */
const idOf = (source: string): string => path.join(src, source).replaceAll('\\', '/');

function follow(ids: readonly string[], context: Context, known = new Set<string>()): Set<string> {
  for (const id of ids) {
    if (known.has(id)) continue;
    known.add(id);
    follow(context.getModuleInfo(id)?.importedIds ?? [], context, known);
  }
  return known;
}

interface Reach {
  isSource(id: string): boolean;
  has(id: string, context: Context): boolean;
}

/** What these sources of the console cannot be drawn without. */
function reachOf(...sources: string[]): Reach {
  const ids = sources.map(idOf);
  let reached: Set<string> | undefined;
  return {
    isSource: (id) => ids.includes(id),
    has: (id, context) => (reached ??= follow(ids, context)).has(id),
  };
}

const shell = reachOf('console.tsx', 'shell/layout.tsx', 'pages/dashboard/page.tsx');
const signIn = reachOf('first-sign-in.tsx');
const library = reachOf('shared/theme/controls.tsx');
const popups = reachOf('shared/ui/popups.tsx');
/** What is asked for by its own name keeps it, or the server could not tell a browser of it; and a page's own parts stay with the page. */
const standsAlone = (id: string): boolean =>
  [shell, signIn, library, popups].some((reach) => reach.isSource(id)) || id.includes('/src/pages/');

/**
 * Chunks by what is drawn first. Who signs in waits for no console, the dashboard for no component library; and each is a few files
 * only, because a file costs a request and its headers.
 */
export function chunkOf(id: string, context: Context): string | null {
  if (standsAlone(id)) return null;
  if (shell.has(id, context)) return signIn.has(id, context) ? 'common' : 'console';
  if (signIn.has(id, context) || library.has(id, context)) return 'library';
  return popups.has(id, context) ? 'popups' : null;
}
