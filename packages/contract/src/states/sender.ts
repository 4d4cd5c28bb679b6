import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** `failing`: the last attempt had no success; the next one follows by itself. */
export const senderState = z.enum(['running', 'failing', 'paused']);
export type SenderState = z.infer<typeof senderState>;
export const SENDER_STATE_TEXT: Record<SenderState, Text> = {
  running: { en: 'Running', zh: '运行中' },
  failing: { en: 'Failing, retried', zh: '失败，自动重试' },
  paused: { en: 'Paused', zh: '已暂停' },
};

/** Why a message was not delivered. `{detail}` is a status code, an address or the message of the system. */
export const SENDER_FAILURE_TEXT = {
  unreachable: { en: 'The receiver cannot be reached: {detail}', zh: '无法连接接收方：{detail}' },
  timeout: { en: 'The receiver did not answer in time', zh: '接收方响应超时' },
  redirected: { en: 'The receiver answered with a redirect, which is not followed', zh: '接收方返回重定向，不予跟随' },
  status: { en: 'The receiver answered with status {detail}', zh: '接收方返回状态码 {detail}' },
  refused: { en: 'The receiver refused the message: {detail}', zh: '接收方拒绝该消息：{detail}' },
  unauthorized: {
    en: 'The receiver did not accept the user, password or certificate: {detail}',
    zh: '接收方不接受用户、密码或证书：{detail}',
  },
  foreign_key: { en: 'The server has another key: {detail}. Nothing was sent to it', zh: '服务器密钥不符：{detail}，未发送任何数据' },
  no_folder: { en: 'The folder is not below HES_DELIVERY_FOLDER of the server', zh: '该文件夹不在服务器的 HES_DELIVERY_FOLDER 之下' },
  not_confirmed: { en: 'The receiver did not confirm the messages: {detail}', zh: '接收方未确认消息：{detail}' },
  address_refused: {
    en: '{detail} is an address of an internal network. HES_DELIVERY_NETWORKS permits such networks',
    zh: '{detail} 属于内部网络，可通过 HES_DELIVERY_NETWORKS 允许',
  },
  not_encrypted: {
    en: 'Connections without encryption are permitted only to networks in HES_DELIVERY_NETWORKS',
    zh: '仅允许对 HES_DELIVERY_NETWORKS 中的网络使用未加密的连接',
  },
  position_gone: {
    en: 'The data after the last delivery has been deleted. Use Replay to begin again',
    zh: '上次推送之后的内容已不再保存，请使用“重放”重新开始',
  },
  internal: { en: 'The head-end could not prepare the message: {detail}', zh: '主站无法生成消息：{detail}' },
} as const satisfies Record<string, Text>;
export type SenderFailure = keyof typeof SENDER_FAILURE_TEXT;
// as: an object literal has exactly these keys
export const senderFailure = z.enum(Object.keys(SENDER_FAILURE_TEXT) as [SenderFailure, ...SenderFailure[]]);
