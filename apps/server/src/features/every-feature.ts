import type { FieldFeatures } from '#field/start-field.ts';
import { operationsOf } from './every-operation.ts';
import { featureWatches } from './feature-watches.ts';

/** Operations and periodic jobs of all features, for `startField`. */
export const FIELD_FEATURES: FieldFeatures = { operations: operationsOf, watches: featureWatches };
