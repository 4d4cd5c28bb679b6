import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { words } from '#core/i18n/words.messages.ts';

export const messages = defineMessages({
  title: { en: 'Nodes', zh: '主站节点' },
  purpose: {
    en: 'The head-end nodes on this database, with their devices, work and movements',
    zh: '共用本数据库的主站节点：运行状态、持有的设备与移交记录',
  },
  help: {
    en: 'Each node is one process of the head-end. A device is held by the node to which it is connected; that node alone executes orders for it. If a node fails, its devices connect to the others, and its work returns to the queue.',
    zh: '每个节点是一个主站进程。设备由其所连接的节点持有，仅该节点执行其指令。节点失效后，其设备会连接到其他节点，未完成的工作返回队列。',
  },
  name: { en: 'Node', zh: '节点' },
  state: words.state,
  version: { en: 'Version', zh: '版本' },
  roles: { en: 'Roles', zh: '角色' },
  rolesHint: {
    en: 'What the node does (HES_ROLES): all roles, unless the head-ends divide them',
    zh: '节点承担的工作（HES_ROLES）；未划分时承担全部角色',
  },
  unfilled_web: {
    en: 'No running node serves the console: users and programs cannot connect.',
    zh: '没有运行中的节点提供控制台：用户与程序无法连接。',
  },
  unfilled_field: {
    en: 'No running node communicates with devices: devices cannot connect, and orders and plans wait.',
    zh: '没有运行中的节点与设备通信：设备无法连接，指令与方案等待执行。',
  },
  unfilled_analysis: {
    en: 'No running node works on analyses: exports, bills, computations and the deletion of old data wait.',
    zh: '没有运行中的节点执行分析：导出、账单、计算与旧数据清理等待执行。',
  },
  startedAt: { en: 'Started', zh: '启动时间' },
  aliveAt: { en: 'Last heartbeat', zh: '最近存活信号' },
  aliveHint: { en: 'Every two seconds; after ten without one the others take over', zh: '每两秒一次；十秒无信号即由其他节点接管' },
  ago: { en: '{age} ago', zh: '{age}前' },
  devices: { en: 'Devices', zh: '设备数' },
  devicesHint: { en: 'DCUs and direct meters connected to this node', zh: '连接到该节点的集中器与直连电表' },
  leases: { en: 'Work in flight', zh: '执行中工作' },
  leasesHint: { en: 'Work items that this node has claimed and not finished', zh: '该节点已领取但未完成的任务项' },
  actions: { en: 'Actions', zh: '操作' },
  drain: { en: 'Drain', zh: '移交' },
  resume: words.resume,
  drainTitle: { en: 'Drain node {name}?', zh: '移交节点 {name}？' },
  drainEffect: {
    en: 'It finishes exchanges on the line, closes the connections of its devices, and claims no work; the devices connect to the other nodes. No order fails by it. Its console stays, and "Resume" or a restart undoes it.',
    zh: '该节点完成线路上的通信后关闭其设备连接，不再领取工作；设备将连接到其他节点，指令不会因此失败。其控制台仍可使用，“恢复”或重启即可撤销。',
  },
  drainAbout: { en: 'Devices to hand over: {count}', zh: '待移交设备：{count}' },
  drainOrdered: { en: 'Node {name} drains within two seconds', zh: '节点 {name} 将在两秒内开始移交' },
  resumeOrdered: { en: 'Node {name} takes work again within two seconds', zh: '节点 {name} 将在两秒内恢复接收工作' },
  lastNode: { en: 'No other node takes work, so this one cannot be drained.', zh: '没有其他节点可接收工作，因此不能移交。' },
  backups: { en: 'Backups', zh: '备份' },
  backupExternal: {
    en: 'The database is not built in. Back it up by tools of PostgreSQL, such as pgBackRest.',
    zh: '当前使用外部数据库，请使用 PostgreSQL 工具（如 pgBackRest）备份。',
  },
  backupOff: {
    en: 'No backups are made. Set HES_BACKUP_FOLDER to a folder, best on another disk or machine.',
    zh: '未进行备份。请将 HES_BACKUP_FOLDER 设为备份目录，最好位于其他磁盘或主机。',
  },
  backupNewest: { en: 'Newest backup', zh: '最近备份' },
  backupVerified: { en: 'Newest verified backup', zh: '最近通过验证的备份' },
  backupVerifiedHint: { en: 'Restored into a scratch folder, started, and read', zh: '已恢复到临时目录、启动并读取' },
  backupNone: { en: 'none', zh: '无' },
  backupFolder: { en: 'Folder', zh: '目录' },
  backupFails: { en: 'The last backup failed: {failure}', zh: '最近一次备份失败：{failure}' },
  backupTooOld: {
    en: 'The newest verified backup is too old. Look at the disk of the folder, and make a backup by "hes backup".',
    zh: '最近通过验证的备份已过旧。请检查备份磁盘，并用“hes backup”重新备份。',
  },
  archiveFails: {
    en: 'No change has been archived for {age}. Look at the disk of the folder; until then the disk of the database fills.',
    zh: '已有 {age} 未归档更改。请检查备份磁盘；在此期间数据库磁盘会被占满。',
  },
  moved: { en: 'Movements', zh: '移交与变更记录' },
  at: common.time,
  event: { en: 'Event', zh: '事件' },
  by: { en: 'Ordered by', zh: '操作人' },
  itself: { en: 'Head-end', zh: '主站' },
  noNodes: { en: 'No node has registered yet', zh: '尚无节点登记' },
  noEvents: { en: 'Nothing has happened yet', zh: '暂无记录' },
  noEventsHint: { en: 'Starts, stops, deaths and drains of nodes appear here', zh: '节点的启动、停止、失效与移交会显示在此' },
});

export const texts = { ...common, ...messages };
