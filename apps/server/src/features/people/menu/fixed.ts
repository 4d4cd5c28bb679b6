const SYSTEM_MANAGEMENT = '/system/system-management';

/** Pages that stay in the menu because administrators need them to correct errors. */
export const isFixed = (path: string): boolean => path === SYSTEM_MANAGEMENT || path.startsWith(`${SYSTEM_MANAGEMENT}/`);
