import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { typeTexts } from '#domain/type-list/messages.ts';

const messages = defineMessages({
  title: { en: 'DCU Type Management', zh: '集中器类型管理' },
  purpose: {
    en: 'Models of DCUs, with the communication settings that all DCUs of a model share',
    zh: '集中器型号及其通信方式，由该型号的所有集中器共用',
  },
  addType: { en: 'Add DCU type', zh: '新增集中器类型' },
  editType: { en: 'Edit DCU type {name}', zh: '编辑集中器类型 {name}' },
  hardwareVersion: { en: 'Hardware version', zh: '硬件版本' },
  protocol: { en: 'Protocol', zh: '协议' },
  allowedAddresses: { en: 'Allowed addresses', zh: '允许的地址' },
  allowedAddressesHelp: {
    en: 'Used for DCUs without keys only: they are admitted from these addresses and networks, or by a TLS client certificate.',
    zh: '仅用于无密钥的集中器：来自这些地址或网段、或持有 TLS 客户端证书时方可接入。',
  },
  admittedWithoutKeys: {
    en: 'DCUs of this type cannot authenticate by keys. They are admitted only by a TLS client certificate or from an allowed address.',
    zh: '此类型的集中器无法用密钥证明身份，仅凭 TLS 客户端证书或允许的地址接入。',
  },
  onlyCertificate: { en: 'None: only by TLS client certificate', zh: '无：仅凭 TLS 客户端证书' },
  notUsedWithKeys: { en: 'Not used: DCUs authenticate by their keys', zh: '不使用：集中器用密钥证明身份' },
  downlinkModes: { en: 'Downlink', zh: '下行信道' },
  maxMeters: { en: 'Max meters', zh: '最大电表数' },
  heartbeatSeconds: { en: 'Heartbeat', zh: '心跳周期' },
  parallelMeters: { en: 'Parallel meters', zh: '并行抄表数' },
  apduSize: { en: 'APDU size', zh: 'APDU 长度' },
  seconds: words.seconds,
  profile: { en: 'Southbound profile', zh: '南向规约' },
  parts: { en: 'Besides forwarding', zh: '转发之外的功能' },
  onlyForwards: { en: 'None: it only forwards requests to its meters', zh: '无：仅向电表转发请求' },
  features: { en: 'Features', zh: '功能' },
  feature: { en: 'Feature', zh: '功能' },
  dcus: words.dcus,
  enabledHelp: { en: 'Offered for new DCUs', zh: '可用于新集中器' },
  empty: { en: 'No DCU type yet', zh: '暂无集中器类型' },
  imported: { en: 'DCU type {name} imported', zh: '已导入集中器类型 {name}' },
  confirmTitle: { en: '{count} {count|DCU has|DCUs have} this type', zh: '{count} 台集中器使用此类型' },
  confirmEffect: {
    en: 'A changed protocol or profile applies to the communication with each of them from its next connection on.',
    zh: '修改协议或规约后，主站将在下次连接时以新方式与这些集中器通信。',
  },
  conformance: { en: 'Conformance check', zh: '一致性检查' },
  conformanceHint: {
    en: 'Reads every object of the profile from a DCU that is online. Nothing is written.',
    zh: '从在线集中器读取规约中的全部对象，不写入任何数据。',
  },
  chooseDcu: { en: 'DCU to check', zh: '待检查集中器' },
  noDcu: { en: 'No DCU has this type yet', zh: '尚无此类型的集中器' },
  object: words.object,
  value: words.value,
  openDcus: { en: 'DCUs of this type', zh: '此类型的集中器' },
});
export const texts = { ...typeTexts, ...messages };
