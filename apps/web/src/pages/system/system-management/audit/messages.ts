import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  title: words.auditLog,
  purpose: { en: 'Actions of users and programs, with time and result. Entries cannot be changed', zh: '谁在何时做了什么；记录不可更改' },
  users: words.userManagement,
  at: common.time,
  username: words.userName,
  name: words.personName,
  action: { en: 'Action', zh: '操作' },
  entity: { en: 'Kind', zh: '对象类型' },
  object: words.object,
  entityId: { en: 'Object ID', zh: '对象编号' },
  detail: { en: 'Detail', zh: '详情' },
  ip: words.address,
  range: words.dateRange,
  nobody: { en: 'Not signed in', zh: '未登录' },
  noEntries: { en: 'No entry matches these filters', zh: '没有符合条件的记录' },
  entry: { en: 'Entry {id}', zh: '记录 {id}' },
  properties: words.properties,
  changes: { en: 'Changes', zh: '变更内容' },
  field: words.field,
  before: { en: 'Before', zh: '变更前' },
  after: { en: 'After', zh: '变更后' },
  hash: { en: 'Hash of this entry', zh: '本条哈希' },
  verify: { en: 'Verify', zh: '校验' },
  verifyTitle: { en: 'Verification of the logs', zh: '日志校验' },
  verifying: { en: 'Every entry is recalculated from the one before it.', zh: '逐条按上一条重新计算。' },
  whole: { en: 'The log is whole: {count} entries follow from one another.', zh: '日志完整：{count} 条记录环环相扣。' },
  changed: {
    en: 'Entry {id} was changed after it was written. The {count} entries before it are whole.',
    zh: '第 {id} 条写入后被更改，之前的 {count} 条完整。',
  },
  missing: {
    en: 'Entries are missing before entry {id}. The {count} entries before the gap are whole.',
    zh: '第 {id} 条之前有记录缺失，缺失处之前的 {count} 条完整。',
  },
  anchored: {
    en: 'The newest entry is also kept outside the database: entry {id}, {at}. The end of the log was not cut.',
    zh: '最新记录同时留存于数据库之外：第 {id} 条，{at}。日志末尾未被截断。',
  },
  anchorBroken: {
    en: '{at}: {finding}. Kept outside the database: entry {anchored}. Found in the database: entry {found}.',
    zh: '{at}：{finding}。库外留存：第 {anchored} 条；库内最新：第 {found} 条。',
  },
  lastHash: {
    en: 'Write down the newest entry and its hash somewhere else: later they show whether the end was cut off.',
    zh: '请将最新记录及其哈希另行留存，日后可据此判断末尾是否被截断。',
  },
  showBroken: { en: 'Show it', zh: '查看该记录' },
});
