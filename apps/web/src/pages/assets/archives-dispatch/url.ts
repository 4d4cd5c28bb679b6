import type { UrlValues } from '#core/url/url-state.ts';

/** The state of the page in its address. */
export const DEFAULTS = {
  /** The selected node of the tree. */
  node: undefined,
  dcu: undefined,
  page: '1',
  size: '50',
  sn: undefined,
  diff: undefined,
  bind: undefined,
  dispatch: undefined,
  distribution: undefined,
  mode: undefined,
  sel: undefined,
};
export type ArchiveUrl = UrlValues<keyof typeof DEFAULTS>;
