import { z } from 'zod';
import { assertionOptions, proofKind } from './own-proof.ts';
import type { Text } from './text.ts';

interface ErrorKind extends Text {
  status: number;
}

const errorKind = <const T extends Record<string, ErrorKind>>(table: T): T => table;

/**
 * Error codes of the API with their status and message. Codes are stored and never renamed. Only an ended session gives 401, because the
 * console opens the login-expired dialog for it (
 * @spec seed §8).
 */
export const ERRORS = errorKind({
  VALIDATION: {
    status: 400,
    en: 'Some of the input is not valid. Please correct the marked fields.',
    zh: '部分输入无效，请修改标记的字段。',
  },
  RANGE_TOO_LONG: { status: 400, en: 'The Time Range Cannot Exceed 31 Days!', zh: '时间范围不能超过31天！' },
  SCHEDULE_INVALID: { status: 400, en: '{why} ({field})', zh: '{why}（{field}）' },
  OLD_PASSWORD_WRONG: { status: 400, en: 'The current password is wrong.', zh: '当前密码不正确。' },
  PASSWORD_WEAK: {
    status: 400,
    en: 'More Than 7 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
    zh: '长度不少于7位，须包含大小写字母、数字、特殊字符，且不含空格',
  },
  KEY_SHARED: {
    status: 400,
    en: 'Another device has this key. Each device needs its own keys.',
    zh: '其他设备已使用该密钥，每台设备须有自己的密钥。',
  },
  PASSWORD_SHORT: {
    status: 400,
    en: 'At Least {min} Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
    zh: '长度不少于{min}位，须包含大小写字母、数字、特殊字符，且不含空格',
  },
  PASSWORD_SAME: {
    status: 400,
    en: 'The new password is the same as the current one. Please choose another.',
    zh: '新密码与当前密码相同，请更换。',
  },
  PASSWORD_COMMON: {
    status: 400,
    en: 'This password is too common or contains your user name. Please choose another.',
    zh: '密码过于常见或包含用户名，请更换。',
  },
  INVALID_GRANT: { status: 400, en: 'User name or password is wrong.', zh: '用户名或密码错误。' },
  INVALID_GRANT_TRIES: {
    status: 400,
    en: 'User name or password is wrong. The account will be locked after {left} more failed attempts.',
    zh: '用户名或密码错误，再错{left}次账号将被锁定。',
  },
  SLIDER_INVALID: {
    status: 400,
    en: 'The security check has expired. Please drag the slider again.',
    zh: '安全验证已失效，请重新拖动滑块。',
  },
  MFA_REQUIRED: {
    status: 400,
    en: 'Please enter the code of your authenticator app.',
    zh: '请输入验证器应用中的验证码。',
  },
  MFA_EXPIRED: {
    status: 400,
    en: 'This sign-in took too long. Please enter user name and password again.',
    zh: '登录超时，请重新输入用户名和密码。',
  },
  OTP_REQUIRED: { status: 400, en: 'Please confirm with a code of your authenticator app.', zh: '请输入验证器应用中的验证码进行确认。' },
  PROOF_REQUIRED: {
    status: 403,
    en: 'Please confirm that it is you: with a code, or with your password.',
    zh: '请用验证码或登录密码确认本人操作。',
  },
  OTP_WRONG: {
    status: 400,
    en: 'The code is wrong or was used already. Please enter the next one.',
    zh: '验证码错误或已使用，请使用下一个验证码。',
  },
  OTP_WRONG_TRIES: {
    status: 400,
    en: 'The code is wrong or was used already. The account will be locked after {left} more failed attempts.',
    zh: '验证码错误或已使用，再错{left}次账号将被锁定。',
  },
  KEY_REFUSED: {
    status: 400,
    en: 'The security key was not accepted. It must belong to this account, check your PIN or fingerprint, and answer within five minutes. Try again, or use a code.',
    zh: '安全密钥未通过验证。密钥须属于本账号、已验证PIN或指纹，并在五分钟内响应。请重试，或改用验证码。',
  },
  KEYS_NEED_ADDRESS: {
    status: 422,
    en: 'Security keys need a console that browsers reach by HTTPS under a name, or as localhost. Set HES_PUBLIC_URL to that address.',
    zh: '安全密钥要求浏览器以域名经HTTPS（或localhost）访问控制台，请将 HES_PUBLIC_URL 设为该地址。',
  },
  TOO_MANY_KEYS: {
    status: 422,
    en: 'An account has at most {max} security keys. Remove one first.',
    zh: '每个账号最多{max}个安全密钥，请先移除一个。',
  },
  INVALID_CLIENT: { status: 400, en: 'The client credentials in the Authorization header are wrong.', zh: '客户端凭证不正确。' },
  UNSUPPORTED_GRANT: {
    status: 400,
    en: 'Use grant_type=client_credentials, password or refresh_token.',
    zh: '仅支持 client_credentials、password 与 refresh_token 授权类型。',
  },
  TOKEN_INVALID: { status: 401, en: 'Login expired. Please log in again.', zh: '登录已过期，请重新登录' },
  WHOLE_NETWORK_ONLY: {
    status: 403,
    en: 'This concerns all devices. It needs a role whose network area is the whole network.',
    zh: '该操作影响所有设备，须由管辖全网的角色执行。',
  },
  PROGRAM_REFUSED: {
    status: 403,
    en: 'A program may not make this call. It is not part of /api/v1, or the service account does not permit it.',
    zh: '程序不可执行此操作：不属于 /api/v1，或服务账号未获许可。',
  },
  ADDRESS_REFUSED: { status: 403, en: 'This token may not be used from your address.', zh: '此令牌不可从您的地址使用。' },
  KEY_OF_ANOTHER_CALL: {
    status: 422,
    en: 'This Idempotency-Key belongs to another call. Use a new key for a new order.',
    zh: '该 Idempotency-Key 已用于其他请求，新的下发请使用新键。',
  },
  CALL_NOT_ENDED: {
    status: 409,
    en: 'The first call with this Idempotency-Key has not ended, or the head-end was restarted while it ran. Look at your tasks before you order again.',
    zh: '使用该 Idempotency-Key 的首次请求尚未结束，或执行期间主站曾重启。重新下发前请先查看任务。',
  },
  TOO_MANY_TOKENS: {
    status: 409,
    en: 'This account has {max} valid tokens already. Revoke one first.',
    zh: '该账号已有 {max} 个有效令牌，请先吊销一个。',
  },
  FORBIDDEN: { status: 403, en: 'Your role does not allow this.', zh: '您的角色无此权限。' },
  BEYOND_OWN_RIGHTS: { status: 403, en: 'This exceeds your own rights.', zh: '超出您自身的权限范围。' },
  PASSWORD_CHANGE_REQUIRED: { status: 403, en: 'Please change your password first.', zh: '请先修改密码。' },
  SECOND_FACTOR_REQUIRED: { status: 403, en: 'Please set up your second factor first.', zh: '请先设置二次验证。' },
  NOT_FOUND: { status: 404, en: 'The item does not exist or is outside your area.', zh: '对象不存在或不在您的管辖范围内。' },
  TRACE_NOT_KEPT: {
    status: 404,
    en: 'The frames of this dialogue were not kept: of successful collection, those of {percent}% of the dialogues are (HES_TRACE_SHARE). Those of commands, orders of users, failures and captures always are. The readings are complete.',
    zh: '该通信的报文未保存：成功采集的通信只保存其中 {percent}%（HES_TRACE_SHARE）；控制命令、用户指令、失败通信与抓取的报文始终保存。读数完整无缺。',
  },
  TRACE_EXPIRED: {
    status: 404,
    en: 'The frames of this dialogue are deleted: frames are kept for {days} days (setting "Retention").',
    zh: '该通信的报文已删除：报文保存 {days} 天（参数“保存期限”）。',
  },
  NO_PHOTO: { status: 422, en: 'The file is no photo in JPEG, PNG or WebP.', zh: '文件不是 JPEG、PNG 或 WebP 照片。' },
  PHOTO_EXISTS: { status: 409, en: 'The replacement has a photo already; it cannot be changed.', zh: '该换表记录已有照片，不能修改。' },
  METER_NOT_FOUND: { status: 404, en: 'Meter {id} does not exist or is outside your area.', zh: '电表 {id} 不存在或不在您的管辖范围内。' },
  DCU_NOT_FOUND: { status: 404, en: 'DCU {id} does not exist or is outside your area.', zh: '集中器 {id} 不存在或不在您的管辖范围内。' },
  SAME_USER: { status: 403, en: 'Another user has to decide about your own order.', zh: '本人发起的操作须由他人审批。' },
  RIGHT_GIVER: {
    status: 403,
    en: 'You or the other user granted the right for this to the other. Requester, approver and grantor must be three users.',
    zh: '双方之一曾授予对方相关权限：申请人、审批人和授权人必须是三个不同的人。',
  },
  CHANGED_OUTSIDE: {
    status: 409,
    en: 'A user or role involved in this was changed outside the product. An administrator must check and confirm it first.',
    zh: '相关用户或角色在系统外被更改，须先由管理员核对并重新签封。',
  },
  RIGHT_TOO_NEW: {
    status: 403,
    en: 'This right, or your password, was given less than a day ago. It permits dangerous actions once a day has passed.',
    zh: '该权限或您的密码由他人授予或重置不足一天，满一天后方可执行危险操作。',
  },
  RELAY_STOPPED: { status: 409, en: 'Dangerous orders are stopped: {reason}', zh: '危险操作已紧急停用：{reason}' },
  STALE: { status: 409, en: 'Another user changed this in the meantime. Reload and try again.', zh: '数据已被他人修改，请刷新后重试。' },
  HAS_ARCHIVES: {
    status: 409,
    en: 'DCU {sn} still serves meters ({count}): {examples}. Unbind them and delete them from the DCU first.',
    zh: '集中器 {sn} 仍有电表档案（{count}）：{examples}。请先解绑并从集中器删除。',
  },
  NOT_IN_WAREHOUSE: {
    status: 409,
    en: 'Only a meter in the warehouse can be deleted. Meter {sn} is not.',
    zh: '只能删除在库电表，电表 {sn} 不在库。',
  },
  HAS_READINGS: {
    status: 409,
    en: 'Meter {sn} has readings, which stay on record with it.',
    zh: '电表 {sn} 已有抄表数据，须保留档案。',
  },
  METER_STATE: {
    status: 409,
    en: 'Meter {sn} cannot go from "{from}" to "{to}" now.',
    zh: '电表 {sn} 当前不能从“{from}”变为“{to}”。',
  },
  ALREADY_BOUND: { status: 409, en: 'Exist Data Has Been Bound!', zh: '存在已绑定的数据！' },
  NOT_BOUND: { status: 409, en: 'Exist Data Not Bind!', zh: '存在未绑定的数据！' },
  DUPLICATE: { status: 409, en: '{field} {value} is already in use.', zh: '{field} {value} 已存在。' },
  IN_USE: { status: 409, en: 'Still in use: {by}.', zh: '仍在使用中：{by}。' },
  CERTIFICATE_UNUSABLE: {
    status: 409,
    en: 'This key pair has no valid certificate. Download its signing request, have it signed, and import the certificate first.',
    zh: '该密钥对没有有效证书。请先下载签名请求、由颁发机构签发并导入证书。',
  },
  NOT_EMPTY: { status: 409, en: 'Level is not empty: {by}.', zh: '该层级不为空：{by}。' },
  HAS_CHILDREN: { status: 409, en: 'Delete its children first.', zh: '请先删除下级模块。' },
  ARCHIVE_FULL: {
    status: 409,
    en: 'The archive of DCU {sn} holds {max} meters at most.',
    zh: '集中器 {sn} 的档案最多容纳 {max} 块电表。',
  },
  BUSY: { status: 409, en: 'DCU {sn} is busy with an order of the same kind.', zh: '集中器 {sn} 正在执行同类任务。' },
  DCU_LACKS: { status: 409, en: 'DCU {sn}: {why}.', zh: '集中器 {sn}：{why}。' },
  NOT_COMPARED: { status: 409, en: 'The archive of DCU {sn} was not compared yet.', zh: '集中器 {sn} 的档案尚未比对。' },
  WEAKER_HERE: {
    status: 409,
    en: 'Meter {sn} has a better signal at the DCU to which it is bound. It should not be moved.',
    zh: '电表 {sn} 在原集中器信号更强，不应移动。',
  },
  READING_KNOWN: { status: 409, en: 'This day was already read from the meter.', zh: '该日已从电表抄读。' },
  READING_LESS: {
    status: 422,
    en: 'Less than the previous reading ({before} kWh). Mark it if the register rolled over.',
    zh: '小于前次读数（{before} kWh）。如计度器翻转请注明。',
  },
  READING_MORE: { status: 422, en: 'More than the next reading ({after} kWh).', zh: '大于后次读数（{after} kWh）。' },
  DAY_NOT_YET: { status: 422, en: 'This day is in the future.', zh: '日期尚未到来。' },
  PLAN_RUNNING: { status: 409, en: 'The previous run of this plan is still running.', zh: '该方案的上一次执行尚未结束。' },
  PUBLISHED: { status: 409, en: 'This period is published and cannot be changed.', zh: '该账期已发布，不可更改。' },
  PERIOD_BUSY: { status: 409, en: 'This period is not calculated yet, or is being calculated now.', zh: '该账期尚未计算或正在计算。' },
  PERIOD_PARTIAL: {
    status: 409,
    en: '{count} transformers are not in this period yet. A user with access to the whole network must calculate it again.',
    zh: '仍有 {count} 个台区未计入该账期，请由可查看全网的人员重新计算。',
  },
  NEEDS_LOAD_PROFILE: {
    status: 409,
    en: 'Phase identification needs {days} days of load profile B of the master meter; {found} are available.',
    zh: '相位识别需要总表至少{days}天的负荷曲线B，目前有{found}天。',
  },
  NO_SIMULATOR: {
    status: 409,
    en: 'There is no simulator: it runs in the demonstration only.',
    zh: '当前没有运行模拟器：仅演示环境提供。',
  },
  NOTHING_TO_DO: { status: 409, en: 'None of the selected items is in a state that allows this.', zh: '所选数据的状态不允许此操作。' },
  RERUN_REFUSED: {
    status: 409,
    en: 'Only readings ordered by users can be repeated here. Orders that change a device are placed on their own pages.',
    zh: '此处仅可重新执行人工抄读任务；改变设备的操作请在其页面重新下发。',
  },
  REPEAT_ENDED: { status: 409, en: 'Repeated reading ended after 30 minutes. Start it again.', zh: '重复抄读已满30分钟，请重新开始。' },
  FILE_TOO_LARGE: { status: 413, en: 'The request is too large.', zh: '请求内容过大。' },
  FILE_UNREADABLE: { status: 422, en: 'The file cannot be read. {reason}', zh: '文件无法读取：{reason}' },
  TOO_MANY_ROWS: {
    status: 422,
    en: 'The file has more than {max} rows. Please split it.',
    zh: '文件超过 {max} 行，请拆分后再导入。',
  },
  UNKNOWN_ITEM: { status: 422, en: 'There is no reading item called {item}.', zh: '不存在抄读项 {item}。' },
  UNKNOWN_REFERENCE: { status: 422, en: 'A selected item does not exist any more.', zh: '所选内容已不存在。' },
  UNKNOWN_NODE: {
    status: 422,
    en: 'The network has no node {node}. Search for it again.',
    zh: '网络中不存在节点 {node}，请重新查找。',
  },
  WRONG_SN: { status: 422, en: 'This is not the serial number of the DCU.', zh: '输入的集中器编号不正确。' },
  NO_TARGETS: { status: 422, en: 'Please Select Data!', zh: '请选择数据！' },
  EXECUTION_UNAVAILABLE: {
    status: 422,
    en: 'DCUs can collect freezes and profiles only. Choose another execution.',
    zh: '集中器仅能自主采集并保存日冻结与曲线数据，请选择其他执行方式。',
  },
  BUILT_IN_ENTRY: { status: 422, en: 'This entry is built in and cannot be deleted.', zh: '系统内置数据不能删除。' },
  BUILT_IN_CODE: { status: 422, en: 'This entry is built in, so its code cannot be changed.', zh: '系统内置数据的编码不能修改。' },
  NOT_TESTABLE: {
    status: 422,
    en: 'Only an attribute can be read, and a profile buffer is read by On-Demand Reading.',
    zh: '只能测试读取属性；曲线缓存请使用点抄。',
  },
  SELF: { status: 422, en: 'You cannot do this to yourself.', zh: '不能对自己执行此操作。' },
  PROVIDER_FAILED: {
    status: 502,
    en: 'The identity provider {name} cannot be used at present. Try again later, or sign in another way.',
    zh: '身份提供方 {name} 暂时不可用，请稍后重试或使用其他方式登录。',
  },
  PROVIDER_REFUSED: {
    status: 403,
    en: 'The identity provider {name} did not sign you in ({why}). Please start again.',
    zh: '身份提供方 {name} 未完成登录（{why}），请重新开始。',
  },
  FLOW_INVALID: {
    status: 400,
    en: 'This sign-in has expired, was finished before, or began in another browser. Please start again.',
    zh: '本次登录已过期、已完成或在其他浏览器中开始，请重新开始。',
  },
  NO_ROLE_OF_PROVIDER: {
    status: 403,
    en: 'Your account at {name} is in no group that may use this system. Ask your administrator for access.',
    zh: '您在 {name} 的账号不属于可使用本系统的任何组，请联系管理员。',
  },
  NAME_TAKEN: {
    status: 409,
    en: 'The user name {username} belongs to another account of this system. An administrator has to delete that account first.',
    zh: '用户名 {username} 已属于本系统的其他账号，须由管理员先删除该账号。',
  },
  ASSURANCE_TOO_LOW: {
    status: 403,
    en: 'The identity provider {name} did not confirm the sign-in strongly or recently enough. Please sign in there again.',
    zh: '身份提供方 {name} 的登录验证强度或时效不足，请在其处重新登录。',
  },
  EXTERNAL_ACCOUNT: {
    status: 422,
    en: 'This account belongs to the identity provider {name}. Change its groups, password and second factor there.',
    zh: '该账号由身份提供方 {name} 管理，请在其处更改所属组、密码和二次验证。',
  },
  LOCAL_SIGN_IN_OFF: {
    status: 403,
    en: 'Sign in by the identity provider of your organization. Passwords of this system are switched off.',
    zh: '请使用本单位的身份提供方登录，本系统的密码登录已停用。',
  },
  EMERGENCY_ACCOUNT_INVALID: {
    status: 422,
    en: '{username} is no local account with the role of administrators, or is locked. Name another account.',
    zh: '{username} 不是具有管理员角色的本地账号，或已被锁定，请改用其他账号。',
  },
  NO_WAY_IN: {
    status: 422,
    en: 'No administrator has signed in by an identity provider yet. Let one do so first, so that passwords can be switched off.',
    zh: '尚无管理员通过身份提供方登录。请先由一名管理员登录，再停用密码登录。',
  },
  LAST_PROVIDER: {
    status: 422,
    en: 'It is the last identity provider that is offered, and passwords are switched off: only the emergency account {username} could sign in. Switch passwords on first.',
    zh: '这是最后一个启用的身份提供方，且密码登录已停用：届时仅应急账号 {username} 可登录。请先启用密码登录。',
  },
  LAST_EMERGENCY: {
    status: 422,
    en: '{username} is the emergency account. Name another one in the settings, at Local sign-in, first.',
    zh: '{username} 是应急账号，请先在设置的“本地登录”中指定其他账号。',
  },
  LAST_ADMIN: { status: 422, en: 'At least one unlocked administrator must remain.', zh: '必须至少保留一名未锁定的系统管理员。' },
  LAST_STOP: {
    status: 422,
    en: 'At least one unlocked user with the right to start the emergency stop must remain.',
    zh: '必须至少保留一名可紧急停用的未锁定用户。',
  },
  BUILT_IN: { status: 422, en: 'This role is built in and cannot be deleted.', zh: '内置角色不能删除。' },
  ADMIN_KEEPS_SYSTEM: {
    status: 422,
    en: 'The administrator role must keep the whole network and the pages of System Management.',
    zh: '系统管理员必须保留全部网络范围和系统管理页面。',
  },
  PAGE_KEEPS_PATH: {
    status: 422,
    en: 'Roles have rights on the path of this page, so the path cannot be changed. The page can be renamed, moved and hidden.',
    zh: '该页面的权限与路径绑定，路径不可修改；可以改名、移动或隐藏。',
  },
  MODULE_PARENT: { status: 422, en: 'Choose a group that is not below the module itself.', zh: '请选择不在本模块之下的分组。' },
  LEVEL_CYCLE: { status: 422, en: 'A level cannot be placed below itself.', zh: '不能移动到自身或其下级之下。' },
  LEVEL_DEPTH: { status: 422, en: 'Levels may be {max} deep at most.', zh: '层级最多 {max} 级。' },
  NOT_AT_TRANSFORMER: { status: 422, en: 'This meter is not supplied by this transformer.', zh: '该电表不属于此变压器。' },
  NOT_LEARNT: { status: 422, en: 'This run has read no object list.', zh: '该任务未读取到对象列表。' },
  PREFLIGHT: { status: 422, en: 'Please Select Valid Data!', zh: '请选择有效数据！' },
  FIRMWARE_STATE: {
    status: 409,
    en: 'The firmware {name} {version} is not in a state that allows this.',
    zh: '固件 {name} {version} 的当前状态不允许此操作。',
  },
  FIRMWARE_OWN: {
    status: 422,
    en: 'A firmware must be approved by a user who neither uploaded nor changed it.',
    zh: '固件须由上传者、修改者以外的人员批准。',
  },
  FIRMWARE_TYPE: {
    status: 422,
    en: 'This is no firmware file: {reason}',
    zh: '不是有效的固件文件：{reason}',
  },
  SIGNATURE_WRONG: {
    status: 422,
    en: "The signature does not match the file and the manufacturer's key.",
    zh: '签名与文件及厂商公钥不符。',
  },
  SIGNATURE_MISSING: {
    status: 422,
    en: 'Firmware of this manufacturer must be signed.',
    zh: '该厂商要求固件签名，请提供签名。',
  },
  HASH_DIFFERS: {
    status: 422,
    en: 'The SHA-256 of the file differs from the given one.',
    zh: '文件的 SHA-256 与给定值不一致。',
  },
  LOCKED: { status: 423, en: 'This account is locked: {reason}', zh: '账号已锁定：{reason}' },
  APPROVAL_REQUIRED: {
    status: 202,
    en: 'This requires the approval of a second user within {minutes} minutes. Nothing is sent before.',
    zh: '已提交，等待另一人审批，有效期 {minutes} 分钟；批准前不会执行。',
  },
  RATE_LIMIT: { status: 429, en: 'Too many attempts. Please wait {seconds} s.', zh: '操作过于频繁，请等待 {seconds} 秒。' },
  TOO_BUSY: {
    status: 503,
    en: 'Too many sign-ins at this moment. Please try again in {seconds} s.',
    zh: '当前登录请求过多，请在 {seconds} 秒后重试。',
  },
  OUTBOX_BUSY: {
    status: 503,
    en: 'The head-end is finishing a long import. Please ask again in {seconds} s.',
    zh: '主站正在完成一次较长的导入，请在 {seconds} 秒后重试。',
  },
  SECRETS_OF_RECEIVER: {
    status: 400,
    en: 'The receiver is another one now. Please enter its password or secret again.',
    zh: '接收方已变更，请重新输入其密码或密钥。',
  },
  FEED_GONE: {
    status: 410,
    en: 'The data after this cursor has been deleted. Begin again without a cursor, and fetch the missing data from the lists.',
    zh: '该游标之后的内容已不再保存。请不带游标重新开始，并从列表中补取遗漏的数据。',
  },
  INTERNAL: {
    status: 500,
    en: 'Internal server error. Quote trace id {traceId} when you report it.',
    zh: '服务器内部错误，请提供追踪编号 {traceId}。',
  },
  LAST_NODE: {
    status: 409,
    en: 'No other head-end takes work, so nothing could be handed over. Start or resume another one first.',
    zh: '没有其他主站节点可接收工作，无法移交。请先启动或恢复另一节点。',
  },
  UNAVAILABLE: {
    status: 503,
    en: 'The server is starting, or its database is unavailable. Please try again in a moment.',
    zh: '服务正在启动或数据库不可用，请稍后重试。',
  },
  NOT_READY: {
    status: 503,
    en: 'This head-end takes no new work at present: see "missing".',
    zh: '该主站节点当前不接收新的工作，详见“missing”。',
  },
});

export type ErrorCode = keyof typeof ERRORS;

/** What a head-end needs before it takes work; `draining` is missing while its work is handed over to others. */
export const readinessPart = z.enum(['starting', 'database', 'migrations', 'listener', 'draining']);
export type ReadinessPart = z.infer<typeof readinessPart>;

/** Body of every error response: RFC 9457 problem details. `detail` is the message in the caller's language. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  issues: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  /** With `STALE`: the current values. */
  current: z.record(z.string(), z.unknown()).optional(),
  traceId: z.string().optional(),
  /** With `NOT_READY`: the reasons. */
  missing: z.array(readinessPart).optional(),
  /** With `PROOF_REQUIRED`: the kind of own proof. */
  proof: proofKind.optional(),
  /** With `MFA_REQUIRED`: single-use ticket that replaces name, password and slider when the call is repeated with a code. */
  ticket: z.string().optional(),
  /** With a ticket: what the browser asks a security key of the user; its answer takes the place of the code. */
  key: assertionOptions.optional(),
  /** With the token call: error code of OAuth 2.0 (RFC 6749 5.2). */
  error: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;
