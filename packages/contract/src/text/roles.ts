import { inEveryLanguage, nameText, type Text } from '../core/text.ts';

/** Names and descriptions of the built-in roles. */
export const DELIVERED_ROLES = {
  ADMIN: {
    name: { en: 'Administrator', zh: '系统管理员' },
    about: { en: 'Users, roles and settings; releases what others order', zh: '管理用户、角色与设置，审批他人操作' },
  },
  OPERATOR: {
    name: { en: 'Operator', zh: '值班员' },
    about: { en: 'Watches the fleet, reads meters, orders disconnections', zh: '监视运行、抄读电表、申请拉合闸' },
  },
  DATA_ENGINEER: {
    name: { en: 'Metering Data Engineer', zh: '采集工程师' },
    about: { en: 'Plans, readings, events and the dictionary of objects', zh: '负责采集方案、抄表数据、事件与OBIS字典' },
  },
  COMM_ENGINEER: {
    name: { en: 'Communication Engineer', zh: '通信工程师' },
    about: { en: 'DCUs, their networks, archives and frames', zh: '负责集中器、网络、档案与报文' },
  },
  ASSET_CLERK: {
    name: { en: 'Asset Clerk', zh: '资产管理员' },
    about: { en: 'Transformers, DCUs, meters and their types', zh: '维护变压器、集中器、电表及其类型' },
  },
  LOSS_ANALYST: {
    name: { en: 'Loss Analyst', zh: '线损分析员' },
    about: { en: 'Bills, balances, losses and phases', zh: '负责电量账单、电量平衡、线损与相位' },
  },
  FW_ENGINEER: {
    name: { en: 'Firmware Engineer', zh: '升级工程师' },
    about: { en: 'Uploads firmware and runs upgrades; another person approves', zh: '上传固件并执行升级，由他人审批' },
  },
  AUDITOR: {
    name: { en: 'Auditor', zh: '审计员' },
    about: { en: 'Can view everything and change nothing', zh: '仅查看，不作任何修改' },
  },
} as const satisfies Record<string, { name: Text; about: Text }>;
export type DeliveredRole = keyof typeof DELIVERED_ROLES;

const delivered = (code: string) => (Object.hasOwn(DELIVERED_ROLES, code) ? DELIVERED_ROLES[code as DeliveredRole] : undefined); // as: it has that key

/** Name of a role; names given by users are the same in all languages. */
export function roleName({ code, name }: { code: string; name: string }): Text {
  const known = delivered(code)?.name;
  return known?.en === name ? known : nameText(name);
}

/** Stored names of the built-in roles whose name contains a text in any language. */
export const deliveredCalled = (part: string): { code: string; name: string }[] =>
  Object.entries(DELIVERED_ROLES)
    .filter(([, { name }]) => Object.values(inEveryLanguage(name)).some((version) => version.includes(part)))
    .map(([code, { name }]) => ({ code, name: name.en }));

/** Description of a role. Earlier versions stored the Chinese name in this column. */
export function roleAbout({ code, description }: { code: string; description: string | null }): Text {
  const known = delivered(code);
  return known && (description === known.about.en || description === known.name.zh) ? known.about : nameText(description ?? '');
}
