import { user as users } from '@hes/contract/manager/user.ts';
import { userExport } from '@hes/contract/transfer/lists.ts';
import { say } from '@hes/contract/core/text.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listUsers } from './admin-queries.ts';

const STATES = {
  active: { en: 'Active', zh: '正常' },
  locked: { en: 'Locked', zh: '已锁定' },
  on: { en: 'On', zh: '已启用' },
  off: { en: 'Off', zh: '未启用' },
  online: { en: 'Online', zh: '在线' },
  offline: { en: 'Offline', zh: '离线' },
  mustChange: { en: 'Must change password', zh: '须修改密码' },
};

const TRIES = { en: 'Too many failed logins', zh: '登录失败次数过多' };

export const userSheet = defineExport({
  routes: userExport,
  list: users.list,
  title: { en: 'Users', zh: '用户' },
  columns: {
    id: { label: { en: 'ID', zh: '编号' }, cell: (row) => row.id },
    username: { label: { en: 'User name', zh: '用户名' }, cell: (row) => row.username },
    name: { label: { en: 'Name', zh: '姓名' }, cell: (row) => row.name },
    phone: { label: { en: 'Phone', zh: '手机号码' }, cell: (row) => row.phone },
    email: { label: { en: 'Email', zh: '邮箱' }, cell: (row) => row.email },
    role: { label: { en: 'Role', zh: '角色' }, cell: (row, locale) => row.roles.map((role) => say(roleName(role), locale)).join('; ') },
    lock: {
      label: { en: 'Status', zh: '状态' },
      cell: (row, locale) => say(row.lock ? STATES.locked : row.mustChangePassword ? STATES.mustChange : STATES.active, locale),
    },
    secondFactor: {
      label: { en: 'Second factor', zh: '二次验证' },
      cell: (row, locale) => say(row.hasSecondFactor ? STATES.on : STATES.off, locale),
    },
    lockReason: {
      label: { en: 'Lock reason', zh: '锁定原因' },
      cell: (row, locale) => row.lockReason ?? (row.lockedUntil === null ? null : say(TRIES, locale)),
    },
    online: { label: { en: 'Online', zh: '在线' }, cell: (row, locale) => say(STATES[row.online ? 'online' : 'offline'], locale) },
    lastLoginAt: { label: { en: 'Last login', zh: '最近登录' }, kind: 'time', cell: (row) => row.lastLoginAt },
    createdAt: { label: { en: 'Created', zh: '创建时间' }, kind: 'time', cell: (row) => row.createdAt },
  },
  page: ({ ctx, user, query }) => listUsers(ctx.db, user, query, ctx.clock.now()),
});
