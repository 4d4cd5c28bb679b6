import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { words } from '#core/i18n/words.messages.ts';

export const relayOrderTexts = {
  ...common,
  ...defineMessages({
    disconnectTitle: { en: 'Disconnect supply to {count} {count|customer|customers}?', zh: '确定对 {count} 户拉闸？' },
    connectTitle: { en: 'Connect supply to {count} {count|customer|customers}?', zh: '确定对 {count} 户合闸？' },
    armTitle: { en: 'Allow reconnection for {count} {count|customer|customers}?', zh: '确定允许 {count} 户合闸？' },
    disconnectEffect: {
      en: 'Power goes off as soon as each meter receives the command. It can be restored with Connect.',
      zh: '电表收到命令后立即断电，可通过合闸恢复。',
    },
    connectEffect: {
      en: 'Power returns as soon as each meter receives the command. Make sure that no work is in progress on these lines.',
      zh: '电表收到命令后立即送电，请确认线路上无人作业。',
    },
    armEffect: { en: 'The customer closes the relay with the button of the meter.', zh: '由用户按电表按键合闸。' },
    willSwitch: { en: 'will be switched', zh: '将操作' },
    protectedIncluded: { en: 'protected, included', zh: '保电，已包含' },
    skipped: { en: 'skipped: protected', zh: '跳过：保电' },
    load: { en: 'load as last known', zh: '最近负荷' },
    transformers: { en: '{count|transformer|transformers}', zh: '变压器' },
    no_relay: { en: 'No relay', zh: '无继电器' },
    not_bound: { en: 'Not bound to a DCU', zh: '未绑定集中器' },
    modeForbids: { en: 'Mode does not allow it', zh: '控制模式不允许' },
    already: { en: 'Already in this state', zh: '已是该状态' },
    protected: { en: 'Protected', zh: '保电' },
    protectedSkipped: { en: 'Protected, skipped', zh: '保电，已跳过' },
    more: { en: 'and {count} more', zh: '另有 {count} 户' },
    missing: { en: 'Please enter', zh: '请填写' },
    recorded: { en: 'Recorded with your name and time', zh: '将记录操作人与时间' },
    button: { en: '{verb} {count} {count|customer|customers}', zh: '{verb} {count} 户' },
    includeProtected: { en: 'Include protected supplies (needs a second person)', zh: '包含保电用户（须他人审批）' },
    nobody: { en: 'None of the selected supplies can be switched this way.', zh: '所选用户均不支持此操作。' },
    aboveCeiling: {
      en: 'Only {meters} supplies and {kw} kW remain this hour; anything above that will not be sent.',
      zh: '本小时仅剩 {meters} 户、{kw} kW，超出部分不会下发。',
    },
    needsSecond: {
      en: 'This order awaits approval by a second person for up to 60 minutes. Nothing is sent before.',
      zh: '须他人在 60 分钟内审批，审批前不会下发。',
    },
    reason: words.reason,
    workOrder: { en: 'Work order', zh: '工单号' },
    typed: { en: 'Type {words} to confirm', zh: '输入 {words} 以确认' },
    wrongWords: { en: 'This does not match', zh: '输入不一致' },
    disconnect: { en: 'Disconnect', zh: '拉闸' },
    connect: { en: 'Connect', zh: '合闸' },
    arm: { en: 'Allow reconnection', zh: '允许合闸' },
    state: { en: 'Relay state', zh: '继电器状态' },
    contact: { en: 'Contact', zh: '触点' },
    closed: { en: 'closed', zh: '闭合' },
    open: { en: 'open', zh: '断开' },
    mode: { en: 'Control mode', zh: '控制模式' },
    before: { en: 'Power before', zh: '操作前功率' },
    after: { en: 'Power after', zh: '操作后功率' },
    command: { en: 'Command', zh: '命令' },
    wasSent: { en: 'sent, confirmed by read-back', zh: '已下发并回读确认' },
    notSent: { en: 'not sent: already in this state', zh: '已是该状态，未下发' },
    supplies: { en: 'Supplies', zh: '户数' },
  }),
};
export type T = Translate<typeof relayOrderTexts>;
