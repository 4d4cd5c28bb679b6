export { keysElsewhere } from './import-keys.ts';
