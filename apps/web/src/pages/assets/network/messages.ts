import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { texts as shared } from '#kit/basics/record.messages.ts';

const messages = defineMessages({
  title: words.networkLevel,
  purpose: {
    en: 'The tree of companies, districts and feeders that contains all equipment',
    zh: '公司、区县、馈线的层级树，一切设备归属于此',
  },
  levels: { en: 'Levels', zh: '层级' },
  addPeer: { en: 'Add peer level', zh: '新增同级' },
  addSubordinate: { en: 'Add subordinate level', zh: '新增下级' },
  newLevel: { en: 'New level', zh: '新层级' },
  unsaved: { en: 'Unsaved', zh: '未保存' },
  levelInfo: { en: 'Level info', zh: '层级信息' },
  type: words.type,
  sort: { en: 'Order', zh: '排序' },
  longitude: words.longitude,
  latitude: words.latitude,
  longitudeHelp: { en: 'East is positive', zh: '东经为正' },
  latitudeHelp: { en: 'North is positive', zh: '北纬为正' },
  codeHelp: { en: 'Upper case letters, digits, hyphens', zh: '大写字母、数字、连字符' },
  save: words.save,
  // @spec seed §5
  selectLevel: { en: 'Please Select Level Info!', zh: '请选择层级信息！' },
  saveLevel: { en: 'Please Save Level Info!', zh: '请保存层级信息！' },
  children: { en: 'Direct children', zh: '直接下级' },
  transformersTab: { en: 'Transformers at this level', zh: '本级变压器' },
  transformers: words.transformers,
  dcus: words.dcus,
  online: { en: 'Online', zh: '在线率' },
  noChildren: { en: 'No level below this one', zh: '暂无下级' },
  noTransformers: { en: 'No transformer at or under this level', zh: '本级及下级暂无变压器' },
  noLevels: { en: 'No level yet', zh: '暂无层级' },
  noLevelsHint: { en: 'Begin with the company; districts and feeders follow below it.', zh: '先建公司，再逐级新增区县与馈线。' },
  firstLevel: { en: 'Add the first level', zh: '新增第一个层级' },
  selectHint: { en: 'Choose a level at the left to see and change it.', zh: '请在左侧选择层级进行查看和修改。' },
  search: { en: 'Name or code', zh: '名称或编码' },
  moved: { en: 'Moved', zh: '已移动' },
  moveHint: { en: 'Drag a level to move it with everything below', zh: '拖动层级可连同下级一并移动' },
  discard: { en: 'Discard', zh: '放弃' },
  beyond: { en: 'Above your network area: shown for navigation only', zh: '在您的管辖范围之上，仅用于导航' },
  openTransformers: { en: 'Open transformers', zh: '打开变压器' },
  address: words.address,
  capacity: words.capacity,
  removeEffect: { en: 'Only an empty level can be deleted.', zh: '仅可删除空层级。' },
});
export const texts = { ...shared, ...messages };
