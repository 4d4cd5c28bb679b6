export { addDraft, removeDrafts } from './firmware/published.ts';
export { startSupervisor } from './job/supervisor.ts';
export { USUAL_PACE, type UpgradePace } from './transfer/pace.ts';
