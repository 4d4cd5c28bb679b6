import type { FieldFeatures } from '#field/start-field.ts';
import { operationsOf } from './every-operation.ts';
import { featureWatches } from './feature-watches.ts';

/** What the field engine is handed. */
export const FIELD_FEATURES: FieldFeatures = { operations: operationsOf, watches: featureWatches };
