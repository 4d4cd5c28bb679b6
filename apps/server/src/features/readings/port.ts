export { checkRange, completenessByDay, localDay, todayOfDcu } from './service.ts';
