export { clearOutbox } from './feed/readers.ts';
