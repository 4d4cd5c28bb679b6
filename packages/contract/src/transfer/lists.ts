import { audit } from '../manager/audit.ts';
import { role } from '../manager/role.ts';
import { user } from '../manager/user.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Imports and exports of administrative lists. */
export const userImport = importOf('user', PAGE_PATH.users, 'rights');
export const userExport = exportOf('user', user.list);
export const roleExport = exportOf('role', role.list);
export const auditExport = exportOf('audit', audit.list);
