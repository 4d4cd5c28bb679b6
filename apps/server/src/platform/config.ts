import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { NODE_ROLES, type NodeRole } from '@hes/contract/states/node.ts';
import { PASSWORD_MIN, PASSWORD_MIN_MOST, USERNAME } from '@hes/contract/core/rules.ts';
import { isLoopback } from './address.ts';
import { EVERY_SETTING, type SettingName } from './declared-settings.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { refuseContradictions, textOf, type Environment, type InitialName } from './settings-text.ts';
import { StartError } from './start-error.ts';

/** Servers of NATS, and how a head-end proves itself to them. */
export interface BusServers {
  /** Addresses as `host:port`. */
  servers: string[];
  user?: string;
  password?: string;
  token?: string;
  /** Content of a file with JWT and key. */
  credentials?: string;
  /** Undefined: encrypted if the server demands it. */
  tls: { ca: string | undefined } | undefined;
}

/** All settings of the server, validated. declared-settings.ts tells what each of them means. */
export interface Config {
  secretsCommand: string | undefined;
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  databaseOwnerUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  citus: 'auto' | 'off';
  bus:
    | (BusServers & {
        tls: BusServers['tls'];
        credentials?: string;
      })
    | undefined;
  /** Undefined: neither backups nor an archive. */
  backup:
    | {
        folder: string;
        /** 0: none by itself. */
        everyMs: number;
        keepDays: number;
        /** Age at which a segment of the WAL is archived. */
        walS: number;
      }
    | undefined;
  nodeName: string;
  roles: readonly NodeRole[];
  drainMs: number;
  drainNoticeMs: number;
  demo: 'auto' | 'on' | 'off' | 'remove';
  /** Language of the demonstration's names. */
  demoLanguage: 'en' | 'zh';
  dlmsPort: number;
  dlmsUdpPort: number | undefined;
  dlmsHost: string;
  /** Undefined: DLMS connections are plain TCP. */
  dlmsTls:
    | {
        mode: 'required' | 'offered';
        cert: string;
        key: string;
        ca: string;
      }
    | undefined;
  plainPasswords: boolean;
  dlmsConnectionsPerAddress: number;
  dlmsProxies: string[];
  isBalanced: boolean;
  traceSharePercent: number;
  dialLocal: boolean;
  dialNetworks: string[];
  deliveryNetworks: string[];
  deliveryFolder: string | undefined;
  httpConnectionsPerAddress: number;
  httpRequestS: number;
  responseTimeout: { shortestMs: number; longestMs: number };
  metrics: { port: number; host: string } | undefined;
  /** Collector of traces. Undefined: none are exported. */
  otlp: { url: string; authorization: string | undefined; sharePercent: number } | undefined;
  adminName: string;
  adminPassword: string | undefined;
  passwordMin: number;
  debugPages: 'auto' | 'on' | 'off';
  masterKey: string | undefined;
  previousMasterKey: string | undefined;
  auditSyslog:
    | {
        host: string;
        port: number;
        /** Undefined: UDP. */
        tls:
          | {
              ca: string | undefined;
            }
          | undefined;
      }
    | undefined;
  auditWebhook: string | undefined;
  logLevel: LogLevel | undefined;
  logFormat: 'auto' | 'json' | 'text';
  lifelineFd: number | undefined;
  tls: 'off' | 'self-signed' | 'files';
  tlsFiles: { cert: string; key: string } | undefined;
  tlsNames: string[];
  secureCookies: boolean;
  /** Scheme, host and port of the console as browsers reach it. */
  publicUrl: string | undefined;
  strict: boolean;
  trustedProxies: string[];
  logoMarker: string;
  logoAddress: string;
}

const SHORTEST_TIMEOUT_MS = 100;
const LONGEST_TIMEOUT_MS = 600_000;
const HOUR_MS = 3_600_000;
const NATS_PORT = '4222';
const MOST_DESCRIPTORS = 1_048_576;

function portOf(env: Environment, name: InitialName): number;
function portOf(env: Environment, name: SettingName): number | undefined;
function portOf(env: Environment, name: SettingName): number | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartError(`${name} is "${text}", which is not a port. Set it to a number from 0 to 65535.`);
  return port;
}

function wordOf<const W extends string>(env: Environment, name: SettingName, words: readonly W[]): W {
  const text = textOf(env, name)?.toLowerCase();
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new StartError(`${name} is "${text ?? ''}". Set it to one of: ${words.join(', ')}.`);
  return word;
}

function msOf(env: Environment, name: SettingName): number {
  const text = textOf(env, name) ?? '';
  const ms = Number(text);
  if (!Number.isInteger(ms) || ms < SHORTEST_TIMEOUT_MS || ms > LONGEST_TIMEOUT_MS)
    throw new StartError(`${name} is "${text}". Set it to a number of milliseconds from ${SHORTEST_TIMEOUT_MS} to ${LONGEST_TIMEOUT_MS}.`);
  return ms;
}

function addressOf(env: Environment, name: SettingName): { host: string; port: number } | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535 || Number(port) === 0)
    throw new StartError(`${name} is "${text}". Set it to host:port, such as logs.example:514, or tls://logs.example:6514.`);
  return { host, port: Number(port) };
}

function syslogOf(env: Environment, workingDir: string): Config['auditSyslog'] {
  const name = 'HES_AUDIT_SYSLOG';
  const isTls = textOf(env, name)?.startsWith('tls://') ?? false;
  const address = addressOf(isTls ? { [name]: textOf(env, name)?.slice('tls://'.length) } : env, name);
  const ca = textOf(env, `${name}_CA`) === undefined ? undefined : pemOf(env, `${name}_CA`, workingDir);
  if (ca !== undefined && !isTls) throw new StartError(`${name}_CA is for TLS. Set ${name} to tls://host:port.`);
  return address && { ...address, tls: isTls ? { ca } : undefined };
}

function webAddressOf(env: Environment, name: SettingName): string | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new StartError(`${name} is "${text}". Set it to an address that begins with https:// or http://.`);
  return text;
}

/** An origin: pages of other paths would get the answers of identity providers. */
function originOf(env: Environment, name: SettingName): string | undefined {
  const text = webAddressOf(env, name);
  if (text === undefined) return undefined;
  const { origin, href } = new URL(text);
  if (href !== `${origin}/`) throw new StartError(`${name} is "${text}". Set it to scheme, host and port only, such as ${origin}.`);
  return origin;
}

/** User and password, or a token, of an address; both may contain escaped characters. */
function proofIn({ username, password }: URL): Pick<BusServers, 'user' | 'password' | 'token'> {
  if (username === '') return {};
  const [first, second] = [decodeURIComponent(username), decodeURIComponent(password)];
  return password === '' ? { token: first } : { user: first, password: second };
}

function busOf(env: Environment, workingDir: string): Config['bus'] {
  const name = 'HES_BUS_URL';
  const addresses = listOf(env, name);
  if (addresses.length === 0) return undefined;
  if (textOf(env, 'DATABASE_URL') === undefined)
    throw new StartError(`${name} connects head-ends on one database. Set DATABASE_URL to it, or leave ${name} empty.`);
  const urls = addresses.map((address) => URL.parse(address));
  const [first] = urls;
  const areAlike = urls.every((url) => url !== null && url.host !== '' && url.protocol === first?.protocol);
  // The address may contain a password, so it is not repeated.
  if (first == null || !areAlike || !['nats:', 'tls:'].includes(first.protocol))
    throw new StartError(`${name} is no list of addresses. Set it to nats://host:4222 or tls://host:4222, separated by commas.`);
  const servers = urls.map((url) => `${url?.hostname ?? ''}:${url?.port === '' ? NATS_PORT : (url?.port ?? '')}`);
  const isTls = first.protocol === 'tls:';
  const pem = (file: SettingName) => (textOf(env, file) === undefined ? undefined : pemOf(env, file, workingDir, name));
  const credentials = pem('HES_BUS_CREDENTIALS');
  if (textOf(env, 'HES_BUS_CA') !== undefined && !isTls) throw new StartError(`HES_BUS_CA is for TLS. Set ${name} to tls://host:4222.`);
  return {
    servers,
    ...proofIn(first),
    ...(credentials === undefined ? {} : { credentials }),
    tls: isTls ? { ca: pem('HES_BUS_CA') } : undefined,
  };
}

/** Anyone else could invent the address of a device, so the protocol needs the addresses of its proxies. */
function proxiesOf(env: Environment): string[] {
  if (wordOf(env, 'HES_PROXY_PROTOCOL', ['on', 'off']) === 'off') return [];
  const proxies = networksOf(env, 'HES_PROXY_PROTOCOL_FROM');
  if (proxies.length > 0) return proxies;
  throw new StartError('HES_PROXY_PROTOCOL is on. Set HES_PROXY_PROTOCOL_FROM to the addresses of the proxies that may speak it.');
}

function responseTimeoutOf(env: Environment): Config['responseTimeout'] {
  const [shortestMs, longestMs] = [msOf(env, 'HES_SHORTEST_RESPONSE_MS'), msOf(env, 'HES_LONGEST_RESPONSE_MS')];
  if (shortestMs > longestMs)
    throw new StartError(
      `HES_SHORTEST_RESPONSE_MS is ${shortestMs}, longer than HES_LONGEST_RESPONSE_MS, ${longestMs}. Change one of them.`,
    );
  return { shortestMs, longestMs };
}

function backupOf(env: Environment, workingDir: string): Config['backup'] {
  const folder = folderOf(env, 'HES_BACKUP_FOLDER', workingDir);
  if (folder === undefined) return undefined;
  if (textOf(env, 'DATABASE_URL') !== undefined)
    throw new StartError(
      'HES_BACKUP_FOLDER is for the built-in database. Back up DATABASE_URL by tools of PostgreSQL (docs/how-to/back-up-and-restore.md), and leave HES_BACKUP_FOLDER empty.',
    );
  return {
    folder,
    everyMs: countOf(env, 'HES_BACKUP_EVERY_H', 720, 0) * HOUR_MS,
    keepDays: countOf(env, 'HES_BACKUP_KEEP_D', 3650),
    walS: countOf(env, 'HES_BACKUP_WAL_S', 86_400, 10),
  };
}

function otlpOf(env: Environment): Config['otlp'] {
  const url = textOf(env, 'HES_OTLP_URL');
  if (url === undefined) return undefined;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new StartError(`HES_OTLP_URL is "${url}". Write the address of the collector, such as http://collector:4318.`);
  return { url, authorization: textOf(env, 'HES_OTLP_AUTHORIZATION'), sharePercent: countOf(env, 'HES_OTLP_SHARE', 100) };
}

function metricsOf(env: Environment): Config['metrics'] {
  const port = portOf(env, 'HES_METRICS_PORT');
  return port === undefined ? undefined : { port, host: textOf(env, 'HES_METRICS_HOST') };
}

function countOf(env: Environment, name: SettingName, most: number, least = 1): number {
  const text = textOf(env, name) ?? '';
  const count = Number(text);
  if (!Number.isInteger(count) || count < least || count > most)
    throw new StartError(`${name} is "${text}". Set it to a whole number from ${least} to ${most}.`);
  return count;
}

function pemOf(env: Environment, name: SettingName, workingDir: string, neededBy = 'HES_DLMS_TLS'): string {
  const file = textOf(env, name);
  if (file === undefined) throw new StartError(`${name} is empty, and ${neededBy} needs it. Set it to a PEM file.`);
  try {
    return readFileSync(resolve(workingDir, file), 'utf8');
  } catch (error) {
    throw new StartError(`${name} is "${file}", which cannot be read. Set it to a PEM file.`, { cause: error });
  }
}

function dlmsTlsOf(env: Environment, workingDir: string): Config['dlmsTls'] {
  const mode = wordOf(env, 'HES_DLMS_TLS', ['required', 'offered', 'off']);
  if (mode === 'off') return undefined;
  const pem = (name: SettingName) => pemOf(env, name, workingDir);
  return { mode, cert: pem('HES_DLMS_TLS_CERT'), key: pem('HES_DLMS_TLS_KEY'), ca: pem('HES_DLMS_TLS_CA') };
}

const listOf = (env: Environment, name: SettingName): string[] =>
  (textOf(env, name) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function networksOf(env: Environment, name: SettingName): string[] {
  const networks = listOf(env, name);
  for (const network of networks) {
    const [address, bits, ...more] = network.split('/');
    const version = isIP(address ?? '');
    const isBlock = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
    if (version === 0 || !isBlock || more.length > 0)
      throw new StartError(`${name} holds "${network}". Set it to addresses or CIDR blocks, such as 10.0.0.5 or 10.0.0.0/24.`);
  }
  return networks;
}

function tlsOf(env: Environment): Pick<Config, 'tls' | 'tlsFiles' | 'tlsNames'> {
  const [cert, key] = [textOf(env, 'HES_TLS_CERT'), textOf(env, 'HES_TLS_KEY')];
  const wish = wordOf(env, 'HES_TLS', ['self-signed', 'off']);
  if ((cert === undefined) !== (key === undefined))
    throw new StartError('HES_TLS_CERT and HES_TLS_KEY belong together: set both to files, or neither.');
  if (wish === 'self-signed' && cert !== undefined)
    throw new StartError('HES_TLS is "self-signed" and HES_TLS_CERT names a certificate. Set only one of them.');
  const tlsFiles = cert === undefined || key === undefined ? undefined : { cert, key };
  return { tls: tlsFiles === undefined ? wish : 'files', tlsFiles, tlsNames: listOf(env, 'HES_TLS_NAMES') };
}

/** A folder as absolute path. */
const folderOf = (env: Environment, name: SettingName, workingDir: string): string | undefined => {
  const text = textOf(env, name);
  return text === undefined ? undefined : resolve(workingDir, text);
};

function keyOf(env: Environment, name: SettingName): string | undefined {
  const text = textOf(env, name);
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) throw new StartError(`${name} must be 64 hex digits (32 octets).`);
  return text;
}

/** Of a large fleet, the frames of all dialogues take more space than the readings. */
function shareOf(env: Environment): number {
  const text = textOf(env, 'HES_TRACE_SHARE') ?? (textOf(env, 'DATABASE_URL') === undefined ? '100' : '1');
  const percent = Number(text);
  if (!(percent >= 0 && percent <= 100)) throw new StartError(`HES_TRACE_SHARE is "${text}". Set it to a percentage from 0 to 100.`);
  return percent;
}

/** The locale of the machine, unless the setting names a language. */
function demoLanguageOf(env: Environment): Config['demoLanguage'] {
  const chosen = wordOf(env, 'HES_DEMO_LANGUAGE', ['auto', 'en', 'zh']);
  if (chosen !== 'auto') return chosen;
  return new Intl.DateTimeFormat().resolvedOptions().locale.startsWith('zh') ? 'zh' : 'en';
}

/** A head-end without some role needs others, which a built-in database cannot have. */
function rolesOf(env: Environment): readonly NodeRole[] {
  const words = listOf(env, 'HES_ROLES');
  if (words.length === 0) return NODE_ROLES;
  const unknown = words.find((word) => !NODE_ROLES.some((role) => role === word));
  if (unknown !== undefined) throw new StartError(`HES_ROLES holds "${unknown}". Set it to some of: ${NODE_ROLES.join(', ')}.`);
  const roles = NODE_ROLES.filter((role) => words.includes(role));
  if (roles.length === NODE_ROLES.length) return roles;
  if (textOf(env, 'DATABASE_URL') === undefined)
    throw new StartError('HES_ROLES leaves work to other head-ends. Set DATABASE_URL to the database that they share.');
  if (textOf(env, 'HES_DEMO').toLowerCase() === 'on') throw new StartError('HES_DEMO is on, which needs all roles. Leave HES_ROLES empty.');
  return roles;
}

function userNameOf(env: Environment, name: InitialName): string {
  const text = textOf(env, name);
  if (!USERNAME.test(text)) throw new StartError(`${name} is "${text}". Set it to 3 to 32 letters, digits, dots, hyphens or underscores.`);
  return text;
}

/** Removes secrets from the environment after they are read: child processes and diagnostic reports must not contain them. */
export function forgetSecrets(env: Environment): void {
  for (const [name, { isSecret }] of EVERY_SETTING) if (isSecret === true) delete env[name];
}

function passwordsOf(env: Environment): Pick<Config, 'passwordMin' | 'adminPassword'> {
  const passwordMin = countOf(env, 'HES_PASSWORD_MIN', PASSWORD_MIN_MOST, PASSWORD_MIN);
  const adminPassword = env['HES_ADMIN_PASSWORD'] || undefined;
  if (adminPassword !== undefined && passwordMin > PASSWORD_MIN && [...adminPassword].length < passwordMin)
    throw new StartError(`HES_ADMIN_PASSWORD is shorter than HES_PASSWORD_MIN, ${passwordMin} characters. Set a longer one.`);
  return { passwordMin, adminPassword };
}

/** Whether other machines can reach console or DLMS port, directly or through a proxy. */
export const isReachedByOthers = ({ host, dlmsHost, secureCookies, trustedProxies }: Config): boolean =>
  !isLoopback(host) || !isLoopback(dlmsHost) || secureCookies || trustedProxies.length > 0;

/** Whether the connection to the database stays on this machine, or is encrypted and verifies the server. */
function isDatabaseSafe(databaseUrl: string): boolean {
  const url = URL.parse(databaseUrl);
  if (url === null) return false;
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  return host === '' || host.startsWith('/') || isLoopback(host) || url.searchParams.get('sslmode') === 'verify-full';
}

/** Enforces HES_STRICT: all connections are encrypted without fallback, and a TLS proxy must run on this machine. */
function requireEncryption(config: Config): void {
  const { tls, secureCookies, host, dlmsTls, dlmsUdpPort, auditSyslog, auditWebhook, bus } = config;
  const { databaseUrl, databaseOwnerUrl, databaseDirectUrl } = config;
  const missing = [
    tls === 'off' &&
      !(secureCookies && isLoopback(host)) &&
      'HES_TLS_CERT and HES_TLS_KEY, or HES_SECURE_COOKIES and a proxy on this machine',
    dlmsTls?.mode !== 'required' && 'HES_DLMS_TLS=required',
    dlmsUdpPort !== undefined && 'no HES_DLMS_UDP_PORT',
    auditSyslog !== undefined && auditSyslog.tls === undefined && 'tls:// in HES_AUDIT_SYSLOG',
    bus !== undefined && bus.tls === undefined && 'tls:// in HES_BUS_URL',
    auditWebhook !== undefined && !auditWebhook.startsWith('https:') && 'https:// in HES_AUDIT_WEBHOOK',
    [databaseUrl, databaseOwnerUrl, databaseDirectUrl].some((url) => url !== undefined && !isDatabaseSafe(url)) &&
      'sslmode=verify-full in DATABASE_URL',
  ].filter((text) => text !== false);
  if (missing.length > 0) throw new StartError(`HES_STRICT is on and needs: ${missing.join('; ')}.`);
}

/** Validates the settings. Throws `StartError` with the variable and its permitted values. */
export function readConfig(env: Environment, workingDir: string): Config {
  refuseContradictions(env);
  const masterKey = keyOf(env, 'HES_MASTER_KEY');
  const host = textOf(env, 'HES_HOST');
  const config: Config = {
    secretsCommand: textOf(env, 'HES_SECRETS_COMMAND'),
    port: portOf(env, 'HES_PORT'),
    host,
    dataDir: resolve(workingDir, textOf(env, 'HES_DATA_DIR')),
    databaseUrl: textOf(env, 'DATABASE_URL'),
    databaseOwnerUrl: textOf(env, 'HES_DATABASE_OWNER_URL'),
    databaseDirectUrl: textOf(env, 'HES_DATABASE_DIRECT_URL'),
    citus: wordOf(env, 'HES_CITUS', ['auto', 'off']),
    bus: busOf(env, workingDir),
    backup: backupOf(env, workingDir),
    nodeName: textOf(env, 'HES_NODE_NAME') ?? `${hostname()}:${portOf(env, 'HES_PORT')}`,
    roles: rolesOf(env),
    drainMs: countOf(env, 'HES_DRAIN_S', 600) * 1000,
    drainNoticeMs: countOf(env, 'HES_DRAIN_NOTICE_S', 60, 0) * 1000,
    demo: wordOf(env, 'HES_DEMO', ['auto', 'on', 'off', 'remove']),
    demoLanguage: demoLanguageOf(env),
    dlmsPort: portOf(env, 'HES_DLMS_PORT'),
    dlmsUdpPort: portOf(env, 'HES_DLMS_UDP_PORT'),
    dlmsHost: textOf(env, 'HES_DLMS_HOST') ?? host,
    dlmsTls: dlmsTlsOf(env, workingDir),
    plainPasswords: wordOf(env, 'HES_DLMS_PLAIN_PASSWORDS', ['on', 'off']) === 'on',
    dlmsConnectionsPerAddress: countOf(env, 'HES_DLMS_CONNECTIONS_PER_ADDRESS', 20_000),
    dlmsProxies: proxiesOf(env),
    isBalanced: wordOf(env, 'HES_BALANCER', ['on', 'off']) === 'on',
    traceSharePercent: shareOf(env),
    dialLocal: wordOf(env, 'HES_DIAL_LOCAL', ['on', 'off']) === 'on',
    dialNetworks: networksOf(env, 'HES_DIAL_NETWORKS'),
    deliveryNetworks: networksOf(env, 'HES_DELIVERY_NETWORKS'),
    deliveryFolder: folderOf(env, 'HES_DELIVERY_FOLDER', workingDir),
    httpConnectionsPerAddress: countOf(env, 'HES_HTTP_CONNECTIONS_PER_ADDRESS', 20_000),
    httpRequestS: countOf(env, 'HES_HTTP_REQUEST_S', 3_600),
    responseTimeout: responseTimeoutOf(env),
    metrics: metricsOf(env),
    otlp: otlpOf(env),
    adminName: userNameOf(env, 'HES_ADMIN_NAME'),
    ...passwordsOf(env),
    debugPages: wordOf(env, 'HES_DEBUG_PAGES', ['auto', 'on', 'off']),
    masterKey,
    previousMasterKey: keyOf(env, 'HES_MASTER_KEY_PREVIOUS'),
    auditSyslog: syslogOf(env, workingDir),
    auditWebhook: webAddressOf(env, 'HES_AUDIT_WEBHOOK'),
    logLevel: textOf(env, 'HES_LOG_LEVEL') === undefined ? undefined : wordOf(env, 'HES_LOG_LEVEL', LOG_LEVELS),
    logFormat: wordOf(env, 'HES_LOG_FORMAT', ['auto', 'json', 'text']),
    lifelineFd: textOf(env, 'HES_LIFELINE_FD') === undefined ? undefined : countOf(env, 'HES_LIFELINE_FD', MOST_DESCRIPTORS, 0),
    ...tlsOf(env),
    trustedProxies: networksOf(env, 'HES_TRUSTED_PROXY'),
    strict: wordOf(env, 'HES_STRICT', ['on', 'off']) === 'on',
    secureCookies: wordOf(env, 'HES_SECURE_COOKIES', ['on', 'off']) === 'on',
    publicUrl: originOf(env, 'HES_PUBLIC_URL'),
    logoMarker: textOf(env, 'HES_LOGO_MARKER') ?? '',
    logoAddress: textOf(env, 'HES_LOGO_ADDRESS') ?? '',
  };
  if (config.strict) requireEncryption(config);
  return config;
}
