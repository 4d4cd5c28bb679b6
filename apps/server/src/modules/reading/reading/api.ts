export { completenessByDay, localDay, todayOfDcu } from './service.ts';
