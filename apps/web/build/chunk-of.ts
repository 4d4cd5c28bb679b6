import path from 'node:path';
import type { Rolldown } from 'vite';
import { SCHEMAS } from './schemas-apart.ts';

type Context = Rolldown.ChunkingContext;

const src = path.resolve(import.meta.dirname, '../src');
/** The bundler's module id of a source, with forward slashes on every platform. */
const idOf = (source: string): string => path.join(src, source).replaceAll('\\', '/');

const isSchemaLibrary = (id: string): boolean => id.includes('/node_modules/zod/');
/** Schemas belong to the pages that use them: no first render does. */
const isSchema = (id: string): boolean => id.endsWith(SCHEMAS) || isSchemaLibrary(id);

function follow(ids: readonly string[], context: Context, known = new Set<string>()): Set<string> {
  for (const id of ids) {
    if (known.has(id)) continue;
    known.add(id);
    if (isSchema(id)) continue;
    follow(context.getModuleInfo(id)?.importedIds ?? [], context, known);
  }
  return known;
}

interface Reach {
  isSource(id: string): boolean;
  has(id: string, context: Context): boolean;
}

/** The static import closure of some sources. */
function reachOf(...sources: string[]): Reach {
  const ids = sources.map(idOf);
  let reached: Set<string> | undefined;
  return {
    isSource: (id) => ids.includes(id),
    has: (id, context) => (reached ??= follow(ids, context)).has(id),
  };
}

const shell = reachOf('console.tsx', 'app/frame/layout.tsx', 'pages/dashboard/page.tsx');
const signIn = reachOf('first-sign-in.tsx');
const library = reachOf('kit/theme/controls.tsx');
const popups = reachOf('kit/plain/popups.tsx');
/** Modules that the dashboard loads after its first paint. */
const late = reachOf('domain/map/place-map.tsx', 'kit/chart/line-chart.tsx');
const isIcon = (id: string): boolean => id.includes('/lucide-react/');
/** Entry points keep their own chunks, which the server preloads by name; modules of a page stay in the chunk of the page. */
const standsAlone = (id: string): boolean =>
  [shell, signIn, library, popups].some((reach) => reach.isSource(id)) || id.includes('/src/pages/');

/**
 * Chunks by first render: the sign-in loads without the console, the dashboard without the component library. Each has few files,
 * because every file costs a request.
 */
export function chunkOf(id: string, context: Context): string | null {
  if (standsAlone(id)) return null;
  if (isSchema(id)) return isSchemaLibrary(id) ? 'schemas' : null;
  // An icon that many pages use would load the chunk that they share, and with it the component library.
  if (isIcon(id) && late.has(id, context)) return 'common';
  if (shell.has(id, context)) return signIn.has(id, context) ? 'common' : 'console';
  if (signIn.has(id, context) || library.has(id, context)) return 'library';
  return popups.has(id, context) ? 'popups' : null;
}
