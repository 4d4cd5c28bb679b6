const SYSTEM_MANAGEMENT = '/system/system-management';

/** Pages without which nobody could put anything right again. */
export const isFixed = (path: string): boolean => path === SYSTEM_MANAGEMENT || path.startsWith(`${SYSTEM_MANAGEMENT}/`);
