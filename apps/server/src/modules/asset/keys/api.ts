export { writeKeys } from './queries.ts';
export { keysElsewhere } from './import-keys.ts';
export { refuseSharedKeys } from './shared-keys.ts';
