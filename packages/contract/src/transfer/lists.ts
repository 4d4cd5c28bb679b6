import { audit } from '../manager/audit.ts';
import { role } from '../manager/role.ts';
import { user } from '../manager/user.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';

/** Imports and exports of administrative lists. */
export const userImport = importOf('user', '/system/system-management/user-management', 'rights');
export const userExport = exportOf('user', user.list);
export const roleExport = exportOf('role', role.list);
export const auditExport = exportOf('audit', audit.list);
