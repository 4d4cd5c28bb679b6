import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { texts as shared } from '#kit/basics/record.messages.ts';

const messages = defineMessages({
  title: { en: 'Supplier Management', zh: '供应商管理' },
  purpose: { en: 'Manufacturers of devices, with their contacts', zh: '设备制造商及其联系方式' },
  addSupplier: { en: 'Add supplier', zh: '新增供应商' },
  editSupplier: { en: 'Edit supplier {name}', zh: '编辑供应商 {name}' },
  flagId: { en: 'FLAG ID', zh: 'FLAG 标识' },
  flagHelp: { en: 'Begins the names of its devices (DLMS UA)', zh: '设备逻辑名的前三位（DLMS UA）' },
  contact: { en: 'Contact', zh: '联系人' },
  address: words.address,
  phone: { en: 'Phone', zh: '电话' },
  email: words.email,
  country: { en: 'Country', zh: '国家' },
  types: { en: 'Types', zh: '类型' },
  devices: words.devices,
  enabledHelp: { en: 'Offered for new types', zh: '可用于新类型' },
  search: { en: 'Code, name or FLAG ID', zh: '编码、名称或 FLAG 标识' },
  empty: { en: 'No supplier yet', zh: '暂无供应商' },
  suppliers: { en: 'Suppliers', zh: '供应商' },
  openDcuTypes: { en: 'DCU types', zh: '集中器类型' },
  openMeterTypes: { en: 'Meter types', zh: '电表类型' },
  kindOfType: words.kind,
  noTypes: { en: 'No type refers to this supplier', zh: '暂无引用该供应商的类型' },
});
export const texts = { ...shared, ...messages };
