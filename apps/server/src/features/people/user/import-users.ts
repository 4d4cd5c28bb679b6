import { ERRORS } from '@hes/contract/core/errors.ts';
import { email, phone, RULES } from '@hes/contract/core/rules.ts';
import { newUser } from '@hes/contract/manager/user.ts';
import { userImport } from '@hes/contract/transfer/lists.ts';
import type { z } from 'zod';
import { sessionsEnded } from '#db/changes.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { optionalCell, textCell } from '#transfer/import/cells.ts';
import { findGrantable } from '#features/people/role/reach.ts';
import { findRoleNames } from '#features/people/role/queries.ts';
import { hashPassword } from '#platform/passwords.ts';
import { addUser, applyUserChange } from './administer.ts';
import { findByNames } from './admin-queries.ts';
import { isCommonPassword } from './common-passwords.ts';
import { isTooShort } from './new-password.ts';

/** Limit of lines, because hashing a password is slow by design (40 ms). */
const MAX_USERS = 300;

const REASONS = {
  role: { en: 'There is no role {role}', zh: '不存在角色 {role}' },
  password: { en: 'A new user needs a password', zh: '新用户必须填写密码' },
  noPassword: { en: "Leave empty: the password of an existing user is reset on the user's page", zh: '请留空：已有用户的密码请在页面重置' },
  elsewhere: { en: 'Already in use outside your area', zh: '已被您管辖范围外的用户使用' },
};

const columns = {
  username: { label: { en: 'User name', zh: '用户名' }, schema: newUser.shape.username, example: 'night.reader', required: true },
  name: { label: { en: 'Name', zh: '姓名' }, schema: textCell(32), example: 'Nora Night', required: true },
  phone: { label: { en: 'Phone', zh: '手机号码' }, schema: phone, example: '+86 138 0000 0000' },
  email: { label: { en: 'Email', zh: '邮箱' }, schema: email, example: 'nora@example.org' },
  roles: { label: { en: 'Roles', zh: '角色' }, schema: textCell(400), example: 'OPERATOR; AUDITOR', required: true },
  password: {
    label: { en: 'Password', zh: '密码' },
    schema: optionalCell(newUser.shape.password),
    example: '',
    secret: true,
  },
};

type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
interface Plan {
  row: Row;
  roleIds: string[];
  /** The existing user. */
  existing?: { id: string; version: number };
}

const wordsOf = (text: string) =>
  text
    .split(/[;,；，、|]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Import of users by user name. New users must change their password at the first sign-in; existing ones get name, contact and roles. */
export const userList = defineImport<typeof columns, Plan, Map<string, string>>({
  routes: userImport,
  title: { en: 'Users', zh: '用户' },
  columns,
  maxRows: MAX_USERS,
  unique: ['username'],

  async judge({ ctx, who: { user: caller } }, db, rows) {
    const names = rows.map((row) => row.username);
    const [existing, roles, grantable] = [await findByNames(db, caller, names), await findRoleNames(db), await findGrantable(db, caller)];
    const roleIds = new Map(roles.flatMap(({ id, code, name }) => [[name.toLowerCase(), id] as const, [code.toLowerCase(), id] as const]));
    const judgeRow = async (row: Row): Promise<Judgement<Plan>> => {
      const issues: LineIssue[] = [];
      const refuse = (column: keyof Row, text: LineIssue['text'], params = {}) => void issues.push({ column, text, params });
      const user = existing.get(row.username.toLowerCase());
      const words = wordsOf(row.roles);
      const wanted = words.map((word) => roleIds.get(word.toLowerCase()));
      const missing = words.find((_, at) => wanted[at] === undefined);
      if (words.length === 0) refuse('roles', RULES.roles);
      if (missing !== undefined) refuse('roles', REASONS.role, { role: missing });
      const ids = [...new Set(wanted.filter((id) => id !== undefined))];
      const touched = [...ids.filter((id) => !user?.roleIds.includes(id)), ...(user?.roleIds ?? [])];
      if (!touched.every((id) => grantable.has(id))) refuse('roles', ERRORS.BEYOND_OWN_RIGHTS);
      if (user === undefined) {
        if (row.password === null) refuse('password', REASONS.password);
        else if (isTooShort(ctx, row.password)) refuse('password', ERRORS.PASSWORD_SHORT, { min: ctx.settings.rules.passwordMin });
        else if (await isCommonPassword(row.password, row.username)) refuse('password', ERRORS.PASSWORD_COMMON);
      } else if (!user.isVisible) refuse('username', REASONS.elsewhere);
      else if (user.id === caller.id) refuse('username', ERRORS.SELF);
      else if (row.password !== null) refuse('password', REASONS.noPassword);
      if (issues.length > 0) return { verdict: 'error', issues };
      return user === undefined
        ? { verdict: 'new', plan: { row, roleIds: ids } }
        : { verdict: 'update', plan: { row, roleIds: ids, existing: { id: user.id, version: user.version } } };
    };
    return Promise.all(rows.map(judgeRow));
  },

  async prepare(_environment, rows) {
    const hashes = new Map<string, string>();
    for (const { password } of rows) if (password !== null) hashes.set(password, await hashPassword(password));
    return hashes;
  },

  async write({ ctx, who, now }, tx, plans, hashes) {
    const ended: string[] = [];
    for (const { row, roleIds, existing } of plans) {
      const { username, name, phone, email, password } = row;
      if (existing === undefined) {
        const passwordHash = hashes.get(password ?? '') ?? (await hashPassword(password ?? ''));
        await addUser(tx, who, { username, name, phone, email, roleIds, mustChangePassword: true, passwordHash }, now.getTime());
      } else {
        // An empty cell keeps the stored value.
        const contact = { ...(phone === null ? {} : { phone }), ...(email === null ? {} : { email }) };
        ended.push(...(await applyUserChange(ctx, tx, who, { ...existing, name, ...contact, roleIds })));
      }
    }
    return sessionsEnded(ended, 'roles_changed');
  },
});
