import type { InstallationRules } from '#db/context.ts';

const DEBUG = '/system/debug';

/** Whether a page or group of the menu exists in this installation: debug pages reach devices beside every other page, and may be left out. */
export const existsHere = (path: string, { hasDebugPages }: InstallationRules): boolean =>
  hasDebugPages || (path !== DEBUG && !path.startsWith(`${DEBUG}/`));
