import type { UrlValues } from '#core/url/url-state.ts';

/** Query parameters of the page. */
export const DEFAULTS = {
  node: undefined,
  tab: 'balance',
  from: undefined,
  to: undefined,
  day: undefined,
  quantity: 'current',
  view: 'chart',
  page: '1',
  size: '50',
  sort: 'conflict,desc',
  search: undefined,
  phase: undefined,
  state: undefined,
  isConflict: undefined,
  confidence: undefined,
  fact: undefined,
  sel: undefined,
  moves: '5',
  kind: 'phase',
};
type Url = UrlValues<keyof typeof DEFAULTS>;
type SetUrl = (change: Partial<Url>) => void;

export interface TabProps {
  transformerId: string;
  range: { from: string; to: string };
  url: Url;
  setUrl: SetUrl;
}
