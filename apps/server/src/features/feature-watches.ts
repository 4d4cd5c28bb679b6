// Written by `npm run golden` from the files of this folder.
import type { FeatureTools } from './feature-tools.ts';
import { certificateWatch } from './assets/certificate/watch.ts';
import { relayWatch } from './relay/watch.ts';

/** Periodic jobs of features that run with the field engine. */
export const featureWatches = (tools: FeatureTools) => [certificateWatch(tools), relayWatch(tools)];
