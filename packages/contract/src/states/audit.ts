import type { Text } from '../core/text.ts';

const actions = <const T extends Record<string, Text>>(table: T): T => table;

/** What the audit log records. Codes are never renamed; one without a text in both languages cannot be written. */
export const AUDIT_ACTION_TEXT = actions({
  sign_in: { en: 'Signed In', zh: '登录' },
  sign_in_failed: { en: 'Sign-In Failed', zh: '登录失败' },
  sign_out: { en: 'Signed Out', zh: '退出登录' },
  refresh_token_reused: { en: 'Copied Session Ended', zh: '会话被复制，已终止' },
  password_changed: { en: 'Password Changed', zh: '修改密码' },
  profile_changed: { en: 'Profile Changed', zh: '修改个人信息' },
  user_created: { en: 'User Added', zh: '新增用户' },
  user_changed: { en: 'User Changed', zh: '修改用户' },
  user_deleted: { en: 'User Deleted', zh: '删除用户' },
  user_locked: { en: 'User Locked', zh: '锁定用户' },
  user_unlocked: { en: 'User Unlocked', zh: '解锁用户' },
  user_logged_out: { en: 'User Logged Out', zh: '强制下线' },
  password_reset: { en: 'Password Reset', zh: '重置密码' },
  role_created: { en: 'Role Added', zh: '新增角色' },
  role_changed: { en: 'Role Changed', zh: '修改角色' },
  role_deleted: { en: 'Role Deleted', zh: '删除角色' },
  role_permission_changed: { en: 'Permissions Changed', zh: '修改权限' },
  module_created: { en: 'Module Added', zh: '新增模块' },
  module_changed: { en: 'Module Changed', zh: '修改模块' },
  module_moved: { en: 'Module Moved', zh: '移动模块' },
  module_deleted: { en: 'Module Deleted', zh: '删除模块' },
  call_refused: { en: 'Call Refused', zh: '操作被拒绝' },
  setting_changed: { en: 'Setting Changed', zh: '修改设置' },
});
export type AuditAction = keyof typeof AUDIT_ACTION_TEXT;

/** Kinds of things the audit log is about. */
export const AUDIT_ENTITY_TEXT = actions({
  user: { en: 'User', zh: '用户' },
  role: { en: 'Role', zh: '角色' },
  module: { en: 'Module', zh: '模块' },
  setting: { en: 'Setting', zh: '设置' },
  call: { en: 'Call', zh: '接口调用' },
});
