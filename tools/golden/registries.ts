import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { formatted } from './formatted.ts';

/** Registries of product parts that are found by their location: a new part is a new file, and no list is edited manually. */
export function registries(root: string): Record<string, string> {
  const texts = {
    'packages/contract/src/orders/declared-orders.ts': declaredOrders(root),
    'apps/server/src/features/feature-operations.ts': featureOperations(root),
    'apps/server/src/features/feature-watches.ts': featureWatches(root),
    'apps/server/src/features/feature-routes.ts': featureRoutes(root),
  };
  return Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, formatted(root, file, text)]));
}

const FEATURES = 'apps/server/src/features';
/** Constants; a function takes parts. */
const ROUTES = /^export const (\w+Routes)(?:: Implemented\[\])? = (?:implement\(|\[)/gm;
const HEAD = '// Written by `npm run golden` from the files of this folder.\n';

/** The name of the single export of a file with this ending; undefined if it has none. */
function exportIn(file: string, ending: string): string | undefined {
  return new RegExp(String.raw`^export (?:const|function) (\w+${ending})\b`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
}

function found(root: string, folder: string, pattern: string, ending: string): { name: string; file: string }[] {
  const files = globSync(pattern, { cwd: path.join(root, folder) }).map((file) => file.split(path.sep).join('/'));
  return files.toSorted().flatMap((file) => {
    const name = exportIn(path.join(root, folder, file), ending);
    return name === undefined ? [] : [{ name, file }];
  });
}

const imports = (parts: readonly { name: string; file: string }[]): string =>
  parts.map(({ name, file }) => `import { ${name} } from './${file}';\n`).join('');

function declaredOrders(root: string): string {
  const orders = found(root, 'packages/contract/src/orders', '*.ts', 'Orders').filter(({ file }) => file !== 'declared-orders.ts');
  const members = orders.map(({ name }) => `  ...${name},\n`).join('');
  return `${HEAD}${imports(orders)}\n/** The orders of every file of this folder. */\nexport const declaredOrders = {\n${members}};\n`;
}

function featureOperations(root: string): string {
  const operations = found(root, FEATURES, '**/operation.ts', 'Operations');
  const members = operations.map(({ name }) => `\n  ...${name}(tools),`).join('');
  return `${HEAD}import type { FeatureTools } from './feature-tools.ts';
${imports(operations)}
/** The operations of every feature with a separate folder. */
export const featureOperations = (tools: FeatureTools) => ({${members}${members === '' ? '' : '\n'}});\n`;
}

function featureWatches(root: string): string {
  const watches = found(root, FEATURES, '**/watch.ts', 'Watch');
  return `${HEAD}import type { FeatureTools } from './feature-tools.ts';
${imports(watches)}
/** Periodic jobs of features that run with the field engine. */
export const featureWatches = (tools: FeatureTools) => [${watches.map(({ name }) => `${name}(tools)`).join(', ')}];\n`;
}

/** Routes that need nothing but the context; those with parts of their own stand in `every-route.ts`. */
function featureRoutes(root: string): string {
  const files = globSync('*/**/*routes.ts', { cwd: path.join(root, FEATURES) }).map((file) => file.split(path.sep).join('/'));
  const routes = files.toSorted().flatMap((file) => {
    const source = readFileSync(path.join(root, FEATURES, file), 'utf8');
    return [...source.matchAll(ROUTES)].map(([, name = '']) => ({ name, file }));
  });
  const names = routes.map(({ name }) => name);
  const lines = [...Map.groupBy(routes, ({ file }) => file)].map(
    ([file, of]) => `import { ${of.map(({ name }) => name).join(', ')} } from './${file}';\n`,
  );
  return `${HEAD}import type { Implemented } from '#http/implement.ts';
${lines.join('')}
/** The routes of every feature that need no parts. */
export const featureRoutes: Implemented[] = [${names.map((name) => `...${name}`).join(', ')}];\n`;
}
