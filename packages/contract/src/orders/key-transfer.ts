import { defineCommand, orderWords } from './define-order.ts';

/** New keys for meters, wrapped by the master key of each. @spec GB 9.2.5 */
export const keyTransferOrders = {
  key_transfer: defineCommand({
    target: 'meter',
    params: {},
    result: ['values'],
    priority: 3,
    danger: 'keys',
    changesDevice: true,
    needsReadBack: true,
    mustNotBeInterrupted: true,
    whenOffline: 'chosen',
    mayRepeat: false,
    words: orderWords(['Key transfer', '密钥更新'], {
      running: ['Transferring keys', '更新密钥中'],
      succeeded: ['New keys in use, confirmed by an association', '新密钥已启用，经关联验证'],
      failed: ['Keys not changed', '密钥未更新'],
    }),
    command: {
      help: {
        en: 'Gives each meter new random keys for encryption and authentication, wrapped by its master key, and verifies them in a new association before the former keys are deleted. Meters without a stored master key are skipped.',
        zh: '为每只电表生成新的加密密钥和认证密钥，经其主密钥封装后下发；在新的关联中验证后才弃用原密钥。未存储主密钥的电表不作更改。',
      },
      fields: {},
      facts: { key_transfer: { en: 'New keys', zh: '新密钥' } },
    },
  }),
};
