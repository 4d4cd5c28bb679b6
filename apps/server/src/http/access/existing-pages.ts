import type { InstallationRules } from '#db/context.ts';

const DEBUG = '/system/debug';

/** Whether a page or menu group exists in this installation. Debug pages bypass the other pages and can be disabled. */
export const isPageInstalled = (path: string, { hasDebugPages }: InstallationRules): boolean =>
  hasDebugPages || (path !== DEBUG && !path.startsWith(`${DEBUG}/`));
