// Written by `npm run golden` from the files beside it.
import type { FeatureTools } from './feature-tools.ts';
import { relayWatch } from './relay/watch.ts';

/** What features look at for as long as the field engine runs. */
export const featureWatches = (tools: FeatureTools) => [relayWatch(tools)];
