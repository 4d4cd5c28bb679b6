import { readFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceOf, type ModuleGraph } from './module-graph.ts';
import type { Violation } from './violation.ts';

interface Manifest {
  name: string;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const ONLY_FOR_DEVELOPMENT = /\.test\.tsx?$|\/test\/|^apps\/web\/build\/|\.config\.ts$|\.css$/;

/** A project of its own: its programs import the published packages, and `npm run library:check` compiles them where those are installed. */
const DOCUMENTATION = /^packages\/dlms\/docs\//;

/** Used by its program, by a type reference, by another tool or as a file, and therefore not imported. */
const USED_WITHOUT_IMPORT = new Set([
  'typescript',
  'oxfmt',
  'oxlint',
  'oxlint-tsgolint',
  'knip',
  'jsdom',
  '@embedpdf/fonts-sc',
  '@stryker-mutator/vitest-runner',
  '@stryker-mutator/core',
]);

/**
 * Imported packages must be declared by the importing workspace, because hoisting makes undeclared ones work by accident;
 * and declared packages must be used.
 */
export function checkDependencies(root: string, graph: ModuleGraph): Violation[] {
  const top = manifestAt(root, '.');
  const workspaces = top.workspaces ?? [];
  const used = new Map<string, Set<string>>([['.', new Set()]]);
  const violations: Violation[] = [];

  for (const { file, text, imports } of graph.values()) {
    if (DOCUMENTATION.test(file)) continue;
    const home = workspaceOf(file) ?? '.';
    const manifest = manifestAt(root, home);
    const names = used.get(home) ?? used.set(home, new Set()).get(home);
    for (const [, specifier = ''] of text.matchAll(/import\.meta\.resolve\('([^']+)'\)/g))
      names?.add(
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    const isForDevelopment = home === '.' || ONLY_FOR_DEVELOPMENT.test(file);
    for (const { target, specifier, isTypeOnly } of imports) {
      const name = packageName(target, specifier);
      if (name === undefined || name === manifest.name) continue;
      names?.add(name);
      // Dependencies shared by tests and tools of workspaces are declared once, at the root.
      used.get('.')?.add(name);
      // Vite's plugin and vitest are tools of the whole repository; types have no cost at run time.
      const allowed = isForDevelopment || isTypeOnly ? [manifest, top] : [manifest];
      // Tools drive the parts of the product, and the root installs their dependencies.
      if (home === '.') allowed.push(...workspaces.map((workspace) => manifestAt(root, workspace)));
      const isDeclared =
        allowed.some((one) => declares(one, name, isForDevelopment || isTypeOnly)) || (home === '.' && name.startsWith('@hes/'));
      if (!isDeclared) {
        violations.push({
          rule: 'declared-dependencies',
          file,
          detail: `imports ${name}`,
          why: `Declare ${name} in ${home}/package.json.`,
        });
      }
    }
  }

  for (const home of ['.', ...workspaces]) {
    const manifest = manifestAt(root, home);
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    for (const name of declared) {
      const isUsed = used.get(home)?.has(name) || name.startsWith('@types/') || USED_WITHOUT_IMPORT.has(name);
      if (!isUsed)
        violations.push({ rule: 'unused-dependencies', file: `${home}/package.json`, detail: name, why: 'It has no importer: remove it.' });
    }
  }
  return violations;
}

function packageName(target: string | undefined, specifier: string): string | undefined {
  if (specifier.startsWith('@hes/')) return specifier.split('/').slice(0, 2).join('/');
  return target?.startsWith('npm:') ? target.slice(4) : undefined;
}

const declares = (manifest: Manifest, name: string, andForDevelopment: boolean): boolean =>
  name in { ...manifest.dependencies, ...manifest.optionalDependencies, ...(andForDevelopment ? manifest.devDependencies : {}) };

const manifests = new Map<string, Manifest>();

function manifestAt(root: string, home: string): Manifest {
  const file = path.join(root, home, 'package.json');
  const known = manifests.get(file);
  if (known) return known;
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifests.set(file, manifest);
  return manifest;
}
