import { defineMessages } from '#core/i18n/messages.ts';

/** The words of the glossary. */
export const wordTexts = defineMessages({
  ami: { en: 'Head-end (HES)', zh: '主站（HES）' },
  approval: { en: 'Approval', zh: '审批' },
  archive: { en: 'Archive', zh: '档案' },
  association: { en: 'Association', zh: '应用连接' },
  billingPeriod: { en: 'Billing period', zh: '结算周期' },
  bind: { en: 'Bind (a meter)', zh: '绑定（电表）' },
  captureObject: { en: 'Capture object', zh: '捕获对象' },
  completeness: { en: 'Completeness', zh: '完整率' },
  dcu: { en: 'DCU (data concentrator unit)', zh: '集中器（DCU）' },
  demand: { en: 'Demand', zh: '需量' },
  deviation: { en: 'Clock deviation', zh: '时钟偏差' },
  dispatch: { en: 'Dispatch', zh: '下发' },
  drain: { en: 'Drain', zh: '移交' },
  dst: { en: 'Daylight saving time', zh: '夏令时' },
  event: { en: 'Event (of a device)', zh: '事件（设备）' },
  firmware: { en: 'Firmware image', zh: '固件映像' },
  freeze: { en: 'Freeze', zh: '冻结' },
  gap: { en: 'Gap', zh: '缺口' },
  hop: { en: 'Hop', zh: '跳' },
  incident: { en: 'Incident', zh: '故障' },
  invocationCounter: { en: 'Invocation counter', zh: '调用计数器' },
  lineLoss: { en: 'Line loss', zh: '线损' },
  lnSn: { en: 'Long and short names', zh: '长名和短名引用' },
  loadProfile: { en: 'Load profile', zh: '负荷曲线' },
  masterMeter: { en: 'Master meter', zh: '总表' },
  measurementPoint: { en: 'Measurement point', zh: '测量点' },
  obis: { en: 'OBIS code', zh: 'OBIS 码' },
  onDemand: { en: 'On-demand reading', zh: '点抄' },
  phase: { en: 'Phase (L1, L2, L3)', zh: '相（L1、L2、L3）' },
  plan: { en: 'Collect plan', zh: '采集方案' },
  plc: { en: 'PLC', zh: '电力线载波（PLC）' },
  proxy: { en: 'PCO, STA', zh: '代理（PCO）与站点（STA）' },
  push: { en: 'Push', zh: '主动上报' },
  relay: { en: 'Relay (supply switch)', zh: '继电器（供电开关）' },
  ratio: { en: 'Transformer ratio', zh: '互感器变比' },
  run: { en: 'Run', zh: '执行' },
  sap: { en: 'SAP', zh: '服务接入点（SAP）' },
  scaler: { en: 'Scaler', zh: '倍率因子' },
  sealed: { en: 'Sealed', zh: '已签封' },
  securitySuite: { en: 'Security suite', zh: '安全套件' },
  serviceAccount: { en: 'Service account', zh: '服务账号' },
  snr: { en: 'SNR, RSSI', zh: '信噪比与信号强度（SNR、RSSI）' },
  tariff: { en: 'Rate', zh: '费率' },
  trace: { en: 'Trace', zh: '报文记录' },
  transformer: { en: 'Transformer area', zh: '台区' },
  unknownOutcome: { en: 'Outcome unknown', zh: '结果未知' },
});

/** What they mean, by the same keys. */
export const meaningTexts = defineMessages({
  ami: {
    en: 'This system: it reads meters, sends them orders, and keeps what they answered.',
    zh: '即本系统：抄读电表、下发指令并保存电表的应答。',
  },
  approval: {
    en: 'The consent of a second user, without which a dangerous order does not begin. No user can approve their own order.',
    zh: '由另一名用户给出的同意；危险指令未经审批不会执行，且不能审批自己的指令。',
  },
  archive: {
    en: 'The record of a device. The head-end has one, and the DCU has one for each of its meters; a dispatch makes them equal.',
    zh: '设备的登记信息。主站保存一份，集中器也为其下每只电表保存一份；下发使二者一致。',
  },
  association: {
    en: 'The agreement between head-end and device before anything is read: who asks, with which key and which rights.',
    zh: '抄读前主站与设备之间建立的约定：由谁访问、使用何种密钥、具有何种权限。',
  },
  billingPeriod: {
    en: 'The time between two billing values. It ends with the month, or when the meter ends it by its schedule or by order.',
    zh: '两次结算值之间的时间段。在月末结束，或由电表按计划或指令结束。',
  },
  bind: {
    en: 'To give a meter its place: a DCU and a measurement point. Binding changes the head-end only; the DCU learns it by a dispatch.',
    zh: '为电表指定集中器和测量点。绑定只改变主站的记录，集中器须经下发才能得知。',
  },
  captureObject: {
    en: 'A quantity that a profile of the meter stores in each row, for example active energy import.',
    zh: '电表曲线每一行所保存的量，例如正向有功电能。',
  },
  completeness: {
    en: 'The share of expected values that have been stored. Values count for the hour they belong to, whenever they were read.',
    zh: '已入库数据占应有数据的比例。数据按其所属时刻统计，与抄读时间无关。',
  },
  dcu: {
    en: 'The device in a transformer station that speaks with the meters around it over power line or radio, and with the head-end over the network.',
    zh: '安装在台区的设备：通过电力线载波或无线与周围电表通信，通过网络与主站通信。',
  },
  demand: {
    en: 'The mean power over a period, usually 15 minutes. The highest one of a billing period is the maximum demand.',
    zh: '一段时间（通常 15 分钟）内的平均功率；结算周期内的最大值即最大需量。',
  },
  deviation: {
    en: 'How far the clock of a device is from the time of the head-end. A positive value means that the device is ahead.',
    zh: '设备时钟与主站时间之差，正值表示设备偏快。',
  },
  dispatch: {
    en: 'To write the archive of meters into their DCU, so that it finds and reads them.',
    zh: '将电表档案写入集中器，使其能够发现并抄读这些电表。',
  },
  drain: {
    en: 'To prepare a head-end node for a stop: it finishes what is on the line, and its devices connect to other nodes.',
    zh: '停机前的准备：主站节点完成在途通信，设备改连其他节点。',
  },
  dst: {
    en: 'The hour by which clocks are set forward in summer. A local day has 23, 24 or 25 hours.',
    zh: '夏季将时钟拨快一小时的制度；一个本地日可能有 23、24 或 25 小时。',
  },
  event: {
    en: 'Something that a device wrote in its log: a power failure, an opened cover, a changed setting.',
    zh: '设备在其日志中记录的事情：停电、开盖、参数改变等。',
  },
  firmware: {
    en: 'The program of a device as a file. It is transferred in blocks, verified by the device, and activated at a chosen time.',
    zh: '设备程序文件。分块传输，由设备校验，并在选定时间激活。',
  },
  freeze: {
    en: 'The state of the registers at midnight or at the end of a month, kept by the meter. Bills are computed from freezes.',
    zh: '电表在零点或月末保存的寄存器示值，账单由冻结值计算。',
  },
  gap: {
    en: 'A value that should be there and is not. The head-end keeps each gap with its cause, and asks again while the meter still has the value.',
    zh: '应有而缺少的数据。主站记录每处缺数及其原因，并在电表仍保存该值期间补抄。',
  },
  hop: {
    en: 'One step on the way of a frame through the network of a DCU, from station to station.',
    zh: '报文在集中器网络中从一个站点到下一个站点的一步。',
  },
  incident: {
    en: 'A trouble with one cause, a beginning and an end, for example a DCU that has been offline since 10:15.',
    zh: '具有同一原因、起止时间的故障，例如某集中器自 10:15 起离线。',
  },
  invocationCounter: {
    en: 'A number that rises with every protected message. A device refuses a message whose number it has already seen.',
    zh: '随每条加密报文递增的编号；设备拒绝编号已出现过的报文。',
  },
  lineLoss: {
    en: 'The energy that the master meter of a transformer measured and the meters below it did not: technical loss, missing data, unmetered or stolen energy.',
    zh: '台区总表计量而其下电表未计量的电能：技术损耗、缺数、无表用电或窃电。',
  },
  lnSn: {
    en: 'The two ways by which DLMS addresses objects: by OBIS code (long name) or by a number (short name). A device speaks one of them.',
    zh: 'DLMS 寻址对象的两种方式：OBIS 码（长名）或编号（短名）；设备使用其中一种。',
  },
  loadProfile: {
    en: 'Values that the meter stores at fixed intervals, for example every 15 minutes.',
    zh: '电表按固定间隔（例如每 15 分钟）保存的数据。',
  },
  masterMeter: {
    en: 'The meter of a whole transformer. What it measured is compared with the sum of the meters below it.',
    zh: '计量整个台区的电表，其示值与其下各表之和比较。',
  },
  measurementPoint: {
    en: 'The stable number by which a DCU knows a meter. The head-end assigns it.',
    zh: '集中器识别电表所用的固定编号，由主站分配。',
  },
  obis: {
    en: 'The standard name of a quantity, six numbers: 1-0:1.8.0.255 is the total of active energy import.',
    zh: '量的标准名称，由六个数字组成：1-0:1.8.0.255 为正向有功总电能。',
  },
  onDemand: {
    en: 'A reading that a user orders now, outside every plan.',
    zh: '用户即时发起的抄读，不属于任何方案。',
  },
  phase: {
    en: 'L1, L2 or L3: the conductor that feeds a meter. A meter with one phase is connected to one of the three.',
    zh: 'L1、L2 或 L3：为电表供电的相线；单相表接在三相之一。',
  },
  plan: {
    en: 'What is read from which meters, and when. Each time a plan comes due, it makes a run.',
    zh: '规定从哪些电表、在何时抄读哪些数据；每次到期产生一次执行。',
  },
  plc: {
    en: 'Communication over the power line: between a DCU and its meters no other cable is needed.',
    zh: '通过电力线通信：集中器与电表之间无需另敷线缆。',
  },
  proxy: {
    en: 'In a PLC network a station (STA) is the module of a meter; a proxy coordinator (PCO) is a station that forwards frames of others.',
    zh: '载波网络中，站点（STA）是电表的通信模块，代理（PCO）是为其他站点转发报文的站点。',
  },
  push: {
    en: 'Data that a device sends without being asked, for example an event at the moment it happens.',
    zh: '设备主动发送的数据，例如事件发生时的上报。',
  },
  relay: {
    en: 'The switch in the meter that connects and disconnects the supply of a customer.',
    zh: '电表内接通或断开用户供电的开关。',
  },
  ratio: {
    en: 'The factor between what a meter measures behind a current or voltage transformer, and the energy that flowed.',
    zh: '经电流或电压互感器接入的电表示值与实际电量之间的倍数。',
  },
  run: {
    en: 'One execution of a plan or an order, with the outcome for every device.',
    zh: '方案或指令的一次执行，包含每台设备的结果。',
  },
  sap: {
    en: 'The address of a client or of a logical device in a DLMS connection. The client SAP decides which rights the head-end has.',
    zh: 'DLMS 连接中客户端或逻辑设备的地址；客户端 SAP 决定主站的权限。',
  },
  scaler: {
    en: 'The power of ten by which a stored number is multiplied to become a value in its unit.',
    zh: '将所存数字换算为带单位数值的 10 的幂。',
  },
  sealed: {
    en: 'Protected by a checksum with a key: a change outside the head-end is noticed.',
    zh: '由带密钥的校验码保护，在主站之外的改动会被发现。',
  },
  securitySuite: {
    en: 'The set of algorithms that protect messages: suites 0, 1 and 2 of DLMS.',
    zh: '保护报文的一组算法，即 DLMS 安全套件 0、1、2。',
  },
  serviceAccount: {
    en: 'A user that is a program. It has roles, areas and tokens, and no password.',
    zh: '供程序使用的账号，具有角色、范围和令牌，没有密码。',
  },
  snr: {
    en: 'How well a station is received: the distance of its signal from the noise in dB, and the strength of its signal in dBm.',
    zh: '站点信号质量：信号高出噪声的分贝数（dB）与信号强度（dBm）。',
  },
  tariff: {
    en: 'The price zone of a time of day. Registers T1 to T4 count the energy of each rate.',
    zh: '一天中的价格时段；T1 至 T4 寄存器分别累计各费率的电量。',
  },
  trace: {
    en: 'The frames that were exchanged with a device, decoded, with their times.',
    zh: '与设备往来的报文及其解析和时间。',
  },
  transformer: {
    en: 'A distribution transformer and all that it feeds.',
    zh: '配电变压器及其供电范围。',
  },
  unknownOutcome: {
    en: 'An order was sent, and no answer came: the device may have executed it. The head-end reads the state instead of repeating the order.',
    zh: '指令已发出但未收到应答，设备可能已执行。主站会读取状态，而不是重发指令。',
  },
});
