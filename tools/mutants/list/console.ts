import type { Mutant } from '../mutant.ts';

const WEB = 'apps/web/src/';

/** Faults of the console for which a review had found no test. */
export const CONSOLE_MUTANTS: readonly Mutant[] = [
  {
    id: 'header-shows-one-logo-only',
    breaks: [],
    file: `${WEB}shell/header.tsx`,
    find: 'variant={logoVariant(settings.data?.logo, location.hostname)}',
    replace: "variant={logoVariant(settings.data?.logo, location.hostname) === 'a' ? 'a' : 'a'}",
    tests: [`${WEB}shell/header.test.tsx`],
  },
  {
    id: 'menu-shows-empty-modules',
    breaks: [],
    file: `${WEB}shell/main-menu.tsx`,
    find: 'menuModules(keptModules(modules.data ?? []))',
    replace: 'menuModules(keptModules([]).concat(modules.data ?? []))',
    tests: [`${WEB}shell/header.test.tsx`],
  },
  {
    id: 'call-without-its-limit-of-time',
    breaks: [],
    file: `${WEB}shared/api/client.ts`,
    find: 'const signals = [timeout, session,',
    replace: 'const signals = [session,',
    tests: [`${WEB}shared/api/client.test.ts`],
  },
  {
    id: 'builder-lets-seconds-start-anywhere',
    breaks: [],
    file: `${WEB}widgets/schedule-builder/unit-modes.tsx`,
    find: 'bounds={bounds[field]}',
    replace: "bounds={field === 'start' ? [0, 99] : bounds[field]}",
    tests: [`${WEB}widgets/schedule-builder/unit-modes.test.tsx`],
  },
];
