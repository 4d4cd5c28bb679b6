export { worstAnomaly } from './queries.ts';
