import type { Mutant } from '../mutant.ts';

const WEB = 'apps/web/src/';

/** Faults of the console for which a review had found no test. */
export const CONSOLE_MUTANTS: readonly Mutant[] = [
  {
    id: 'header-shows-one-logo-only',
    breaks: [],
    file: `${WEB}app/header/header.tsx`,
    find: 'variant={logoVariant(settings.data?.logo, location.hostname)}',
    replace: "variant={logoVariant(settings.data?.logo, location.hostname) === 'a' ? 'a' : 'a'}",
    tests: [`${WEB}app/header/header.test.tsx`],
  },
  {
    id: 'menu-shows-empty-modules',
    breaks: [],
    file: `${WEB}app/header/main-menu.tsx`,
    find: 'menuModules(keptModules(modules.data ?? []))',
    replace: 'menuModules(keptModules([]).concat(modules.data ?? []))',
    tests: [`${WEB}app/header/header.test.tsx`],
  },
  {
    id: 'call-without-its-limit-of-time',
    breaks: [],
    file: `${WEB}core/api/client.ts`,
    find: 'const signals = [timeout, session,',
    replace: 'const signals = [session,',
    tests: [`${WEB}core/api/client.test.ts`],
  },
  {
    id: 'builder-lets-seconds-start-anywhere',
    breaks: [],
    file: `${WEB}domain/schedule-builder/unit-modes.tsx`,
    find: 'bounds={bounds[field]}',
    replace: "bounds={field === 'start' ? [0, 99] : bounds[field]}",
    tests: [`${WEB}domain/schedule-builder/unit-modes.test.tsx`],
  },
];
