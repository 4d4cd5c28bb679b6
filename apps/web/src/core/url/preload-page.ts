import type { PagePath } from '@hes/contract/page/paths.ts';

const preloads = new Map<string, () => unknown>();

/** Registers how the code of a page is loaded; called once for each page by the router. */
export const registerPage = (path: PagePath, preload: () => unknown): void => void preloads.set(path, preload);

/**
 * Loads the code of a page that the user points at or has highlighted, so that opening it only renders. Repeated calls load nothing; an
 * address without a page is ignored, and a failure surfaces when the page is opened.
 */
export const preloadPage = (address: string): void => void preloads.get(address.split('?')[0] ?? '')?.();
