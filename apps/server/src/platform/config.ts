import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { NODE_ROLES, type NodeRole } from '@hes/contract/states/node.ts';
import { PASSWORD_MIN, PASSWORD_MIN_MOST, USERNAME } from '@hes/contract/core/rules.ts';
import { isLoopback } from './address.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
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

/** All settings of the server, from the environment. docs/settings.md is generated from these comments. */
export interface Config {
  /** HES_SECRETS_COMMAND: a program that prints settings, one `NAME=value` per line, such as the client of a vault. Empty: none. */
  secretsCommand: string | undefined;
  /** HES_PORT: port of console and API. Default 8080; 0 takes any free port. */
  port: number;
  /** HES_HOST: the address they listen on. Default 127.0.0.1: this machine only. */
  host: string;
  /** HES_DATA_DIR: folder of database, master key and lock file. Default `./data`. */
  dataDir: string;
  /**
   * DATABASE_URL: an external PostgreSQL, 15 or newer, with at least 30 connections available. Empty: the server runs a built-in one in the
   * data folder.
   */
  databaseUrl: string | undefined;
  /**
   * HES_DATABASE_OWNER_URL: the role that owns the tables of DATABASE_URL and may create schemas, used for migrations only. Empty: the role
   * of DATABASE_URL owns them.
   */
  databaseOwnerUrl: string | undefined;
  /**
   * HES_DATABASE_DIRECT_URL: the address of PostgreSQL itself, for two connections that listen, when DATABASE_URL leads through a pooler in
   * transaction mode, such as PgBouncer 1.21 or newer. Empty: DATABASE_URL leads to PostgreSQL.
   */
  databaseDirectUrl: string | undefined;
  /**
   * HES_BUS_URL: servers of NATS that carry live messages among head-ends, `nats://host:4222` or with TLS `tls://user:password@host:4222`,
   * separated by commas; for more than about ten head-ends. Empty: PostgreSQL carries them.
   */
  bus:
    | (BusServers & {
        /** HES_BUS_CA: PEM file with the certificate authority of the servers in HES_BUS_URL. Empty: the authorities that Node trusts. */
        tls: BusServers['tls'];
        /** HES_BUS_CREDENTIALS: file with JWT and key (`.creds`) for HES_BUS_URL. Empty: user and password, or the token, in the address. */
        credentials?: string;
      })
    | undefined;
  /**
   * HES_NODE_NAME: name of this head-end among several on one database; it stays the same when the head-end starts again. Default: name of the
   * machine and HES_PORT.
   */
  nodeName: string;
  /**
   * HES_ROLES: comma-separated roles of this head-end among several on one database: `web` (console and API), `field` (devices), `analysis`
   * (exports, bills, analyses, retention). Without `web`, HES_PORT answers /livez and /readyz only; without `field`, HES_DLMS_PORT stays closed.
   * Default: all.
   */
  roles: readonly NodeRole[];
  /**
   * HES_DRAIN_S: time for exchanges on the line after SIGTERM, or after the order to drain, before other head-ends on the database take them
   * over; 1 to 600 seconds. A head-end without others stops at once. Default 25.
   */
  drainMs: number;
  /**
   * HES_DRAIN_NOTICE_S: time that a balancer has to notice that /readyz fails, before a head-end with a console stops after SIGTERM; 0 to 60
   * seconds. A head-end without another one with a console does not wait. Default 5.
   */
  drainNoticeMs: number;
  /** HES_DEMO: `on`, `off` or `auto` (a demonstration utility when the database holds no DCU and only this machine reaches the server). Default `auto`. */
  demo: 'auto' | 'on' | 'off';
  /** HES_DLMS_PORT: port that DCUs connect to. Default 4059; 0 takes any free port. */
  dlmsPort: number;
  /**
   * HES_DLMS_UDP_PORT: port on which direct meters push in datagrams, usually the number of HES_DLMS_PORT. Only pushes that are protected by
   * the keys of their meter count. Empty: none, because anyone can invent the source of a datagram.
   */
  dlmsUdpPort: number | undefined;
  /** HES_DLMS_HOST: address of the DLMS port. Default: HES_HOST, so that no port is open to the network unless it is configured. */
  dlmsHost: string;
  /** Undefined: DLMS connections are plain TCP. */
  dlmsTls:
    | {
        /**
         * HES_DLMS_TLS: `required`, `offered` or `off`: TLS with client certificates on the DLMS port; `required` also connects to DCUs
         * over TLS. Default off.
         */
        mode: 'required' | 'offered';
        /** HES_DLMS_TLS_CERT: PEM file with the certificate of the head-end, used for incoming and outgoing connections. */
        cert: string;
        /** HES_DLMS_TLS_KEY: PEM file with the key of that certificate. */
        key: string;
        /** HES_DLMS_TLS_CA: PEM file with the authorities of the DCUs' certificates; serial number or common name of a subject is the DCU's serial number. */
        ca: string;
      }
    | undefined;
  /** HES_DLMS_PLAIN_PASSWORDS: `on` allows sending passwords of low-level security (LLS) to other machines without TLS. Default off. */
  plainPasswords: boolean;
  /**
   * HES_DLMS_CONNECTIONS_PER_ADDRESS: maximum number of DLMS connections of one IPv4 address or IPv6 /64. Default 5000, because many DCUs
   * share the address of a mobile gateway.
   */
  dlmsConnectionsPerAddress: number;
  /**
   * HES_PROXY_PROTOCOL and HES_PROXY_PROTOCOL_FROM: the first one `on` expects the PROXY protocol, version 2 or 1, on DLMS connections from
   * the addresses and CIDR blocks in the second one, so that limits and logs know the addresses of devices behind a balancer. Default off.
   */
  dlmsProxies: string[];
  /**
   * HES_BALANCER: `on` when devices reach all head-ends on the database through one balancer: a head-end that holds more of them than the
   * others lets some go, which connect again, to one that holds fewer. Default off.
   */
  isBalanced: boolean;
  /**
   * HES_TRACE_SHARE: percentage, 0 to 100, of dialogues of successful collection whose frames are kept. Those of commands, operators' orders,
   * failures and captures always are. Default 100 with the built-in database, and 1 with DATABASE_URL.
   */
  traceSharePercent: number;
  /** HES_DIAL_LOCAL: `on` permits connections to DCUs at loopback and link-local addresses, as a simulated fleet needs. Default off. */
  dialLocal: boolean;
  /**
   * HES_DIAL_NETWORKS: comma-separated addresses and CIDR blocks of DCUs that the head-end may connect to. Empty: all networks except this
   * machine.
   */
  dialNetworks: string[];
  /** HES_DELIVERY_NETWORKS: comma-separated addresses and CIDR blocks of internal networks that senders and channels of alarms may reach, without encryption as well. Empty: addresses of the Internet only, by HTTPS. */
  deliveryNetworks: string[];
  /** HES_DELIVERY_FOLDER: folder below which senders may write files, on every head-end with the role `analysis`. Default: none, and senders to folders are refused. */
  deliveryFolder: string | undefined;
  /**
   * HES_HTTP_CONNECTIONS_PER_ADDRESS: maximum number of HTTP connections of one IPv4 address or IPv6 /64; raise it for a proxy, whose users
   * share its address. Default 500.
   */
  httpConnectionsPerAddress: number;
  /** HES_HTTP_REQUEST_S: timeout for receiving a whole request, in seconds; raise it for uploads over slow lines. Default 30. */
  httpRequestS: number;
  /** HES_SHORTEST_RESPONSE_MS and HES_LONGEST_RESPONSE_MS: bounds of the adaptive response timeout of each DCU. Default 4000 and 30000. */
  responseTimeout: { shortestMs: number; longestMs: number };
  /**
   * HES_METRICS_PORT and HES_METRICS_HOST: port and address of the metrics for Prometheus, at `/metrics`. They need no sign-in, so only the
   * monitoring may reach the port. Default: none, and 127.0.0.1.
   */
  metrics: { port: number; host: string } | undefined;
  /** HES_ADMIN_NAME: user name of the first administrator; used only while the database holds no user. Default `admin`. */
  adminName: string;
  /**
   * HES_ADMIN_PASSWORD: initial password of the first administrator. Empty: generated, printed once, and must be changed at the first
   * sign-in.
   */
  adminPassword: string | undefined;
  /** HES_PASSWORD_MIN: minimum length of new passwords, 7 to 64 characters. Default 7; NIST SP 800-63B recommends 15. */
  passwordMin: number;
  /** HES_DEBUG_PAGES: `on`, `off` or `auto` (on in a demonstration, and where only this machine reaches the server). Default `auto`. */
  debugPages: 'auto' | 'on' | 'off';
  /** HES_MASTER_KEY: 64 hex digits that encrypt device keys. Empty: generated into the data folder, mode 0600. */
  masterKey: string | undefined;
  /** HES_MASTER_KEY_PREVIOUS: the key that HES_MASTER_KEY replaces, until its rotation is finished. Empty: `master.key.previous` in the data folder, if any. */
  previousMasterKey: string | undefined;
  /**
   * HES_AUDIT_SYSLOG: `tls://host:port` of a syslog server that receives every row of audit and command log (RFC 5425); `host:port`: only
   * the newest hashes, over UDP. Empty: none.
   */
  auditSyslog:
    | {
        host: string;
        port: number;
        /** Undefined: UDP. */
        tls:
          | {
              /** HES_AUDIT_SYSLOG_CA: PEM file with the certificate authority of that server. Empty: the authorities that Node trusts. */
              ca: string | undefined;
            }
          | undefined;
      }
    | undefined;
  /** HES_AUDIT_WEBHOOK: an http or https URL that receives the same as JSON. Empty: none. */
  auditWebhook: string | undefined;
  /** HES_LOG_LEVEL: debug, info, warn, error or silent. Default warn for text on a terminal, info elsewhere. */
  logLevel: LogLevel | undefined;
  /** HES_LOG_FORMAT: `json`, one object per line; `text`, for people; or `auto`: text on a terminal, JSON elsewhere. Default `auto`. */
  logFormat: 'auto' | 'json' | 'text';
  /** HES_LIFELINE_FD: a file descriptor; the server stops when it closes, and so never outlives its launcher. */
  lifelineFd: number | undefined;
  /**
   * HES_TLS: `self-signed` generates a certificate for console and API; `off` uses plain HTTP. Default `off`, or TLS when HES_TLS_CERT is
   * set.
   */
  tls: 'off' | 'self-signed' | 'files';
  /** HES_TLS_CERT and HES_TLS_KEY: files (PEM) with the certificate chain and the key for console and API. Empty: none. */
  tlsFiles: { cert: string; key: string } | undefined;
  /**
   * HES_TLS_NAMES: comma-separated names and addresses in the self-signed certificate. Default: HES_HOST, the name of this machine and
   * localhost.
   */
  tlsNames: string[];
  /** HES_SECURE_COOKIES: `on` when a proxy terminates TLS: secure cookies and HSTS are set. Default off. */
  secureCookies: boolean;
  /**
   * HES_STRICT: `on` refuses to start unless the settings encrypt all connections, and requires a second factor of all users. Default off.
   */
  strict: boolean;
  /** HES_TRUSTED_PROXY: comma-separated addresses and CIDR blocks of proxies whose X-Forwarded-For is trusted. Empty: none. */
  trustedProxies: string[];
  /** HES_LOGO_MARKER: hosts whose name contains this text show logo variant A. Empty: none. */
  logoMarker: string;
  /** HES_LOGO_ADDRESS: an address that also shows logo variant A. Empty: none. */
  logoAddress: string;
}

const SHORTEST_TIMEOUT_MS = 100;
const LONGEST_TIMEOUT_MS = 600_000;
const NATS_PORT = '4222';

type Environment = Record<string, string | undefined>;

function portOf(env: Environment, name: string, fallback: number): number {
  const text = env[name]?.trim();
  if (text === undefined || text === '') return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartError(`${name} is "${text}", which is not a port. Set it to a number from 0 to 65535.`);
  return port;
}

function wordOf<const W extends string>(env: Environment, name: string, words: readonly W[], fallback: W): W {
  const text = env[name]?.trim().toLowerCase();
  if (text === undefined || text === '') return fallback;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new StartError(`${name} is "${text}". Set it to one of: ${words.join(', ')}.`);
  return word;
}

function msOf(env: Environment, name: string, fallback: number): number {
  const text = env[name]?.trim();
  if (text === undefined || text === '') return fallback;
  const ms = Number(text);
  if (!Number.isInteger(ms) || ms < SHORTEST_TIMEOUT_MS || ms > LONGEST_TIMEOUT_MS)
    throw new StartError(`${name} is "${text}". Set it to a number of milliseconds from ${SHORTEST_TIMEOUT_MS} to ${LONGEST_TIMEOUT_MS}.`);
  return ms;
}

function addressOf(env: Environment, name: string): { host: string; port: number } | undefined {
  const text = env[name]?.trim();
  if (text === undefined || text === '') return undefined;
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

function webAddressOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (text === undefined || text === '') return undefined;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new StartError(`${name} is "${text}". Set it to an address that begins with https:// or http://.`);
  return text;
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
  const pem = (file: string) => (textOf(env, file) === undefined ? undefined : pemOf(env, file, workingDir, name));
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
  if (wordOf(env, 'HES_PROXY_PROTOCOL', ['on', 'off'], 'off') === 'off') return [];
  const proxies = networksOf(env, 'HES_PROXY_PROTOCOL_FROM');
  if (proxies.length > 0) return proxies;
  throw new StartError('HES_PROXY_PROTOCOL is on. Set HES_PROXY_PROTOCOL_FROM to the addresses of the proxies that may speak it.');
}

function countOf(env: Environment, name: string, fallback: number, most: number, least = 1): number {
  const text = env[name]?.trim();
  if (text === undefined || text === '') return fallback;
  const count = Number(text);
  if (!Number.isInteger(count) || count < least || count > most)
    throw new StartError(`${name} is "${text}". Set it to a whole number from ${least} to ${most}.`);
  return count;
}

function pemOf(env: Environment, name: string, workingDir: string, neededBy = 'HES_DLMS_TLS'): string {
  const file = textOf(env, name);
  if (file === undefined) throw new StartError(`${name} is empty, and ${neededBy} needs it. Set it to a PEM file.`);
  try {
    return readFileSync(resolve(workingDir, file), 'utf8');
  } catch (error) {
    throw new StartError(`${name} is "${file}", which cannot be read. Set it to a PEM file.`, { cause: error });
  }
}

function dlmsTlsOf(env: Environment, workingDir: string): Config['dlmsTls'] {
  const mode = wordOf(env, 'HES_DLMS_TLS', ['required', 'offered', 'off'], 'off');
  if (mode === 'off') return undefined;
  const pem = (name: string) => pemOf(env, name, workingDir);
  return { mode, cert: pem('HES_DLMS_TLS_CERT'), key: pem('HES_DLMS_TLS_KEY'), ca: pem('HES_DLMS_TLS_CA') };
}

const listOf = (env: Environment, name: string): string[] =>
  (env[name] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function networksOf(env: Environment, name: string): string[] {
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
  const wish = wordOf(env, 'HES_TLS', ['self-signed', 'off'], 'off');
  if ((cert === undefined) !== (key === undefined))
    throw new StartError('HES_TLS_CERT and HES_TLS_KEY belong together: set both to files, or neither.');
  if (wish === 'self-signed' && cert !== undefined)
    throw new StartError('HES_TLS is "self-signed" and HES_TLS_CERT names a certificate. Set only one of them.');
  const tlsFiles = cert === undefined || key === undefined ? undefined : { cert, key };
  return { tls: tlsFiles === undefined ? wish : 'files', tlsFiles, tlsNames: listOf(env, 'HES_TLS_NAMES') };
}

const textOf = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

/** A folder as absolute path. */
const folderOf = (env: Environment, name: string, workingDir: string): string | undefined => {
  const text = textOf(env, name);
  return text === undefined ? undefined : resolve(workingDir, text);
};

function keyOf(env: Environment, name: string): string | undefined {
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
  if (env['HES_DEMO']?.trim().toLowerCase() === 'on') throw new StartError('HES_DEMO is on, which needs all roles. Leave HES_ROLES empty.');
  return roles;
}

function userNameOf(env: Environment, name: string, fallback: string): string {
  const text = textOf(env, name) ?? fallback;
  if (!USERNAME.test(text)) throw new StartError(`${name} is "${text}". Set it to 3 to 32 letters, digits, dots, hyphens or underscores.`);
  return text;
}

const SECRETS = [
  'HES_ADMIN_PASSWORD',
  'HES_MASTER_KEY',
  'HES_MASTER_KEY_PREVIOUS',
  'HES_DATABASE_OWNER_URL',
  'HES_DATABASE_DIRECT_URL',
  'HES_BUS_URL',
];

/** Removes secrets from the environment after they are read: child processes and diagnostic reports must not contain them. */
export function forgetSecrets(env: Environment): void {
  for (const name of SECRETS) delete env[name];
}

function passwordsOf(env: Environment): Pick<Config, 'passwordMin' | 'adminPassword'> {
  const passwordMin = countOf(env, 'HES_PASSWORD_MIN', PASSWORD_MIN, PASSWORD_MIN_MOST, PASSWORD_MIN);
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

/** Reads and validates the environment. Throws `StartError` with the variable and its permitted values. */
export function readConfig(env: Environment, workingDir: string): Config {
  const masterKey = keyOf(env, 'HES_MASTER_KEY');
  const host = textOf(env, 'HES_HOST') ?? '127.0.0.1';
  const lifeline = textOf(env, 'HES_LIFELINE_FD');
  const config: Config = {
    secretsCommand: textOf(env, 'HES_SECRETS_COMMAND'),
    port: portOf(env, 'HES_PORT', 8080),
    host,
    dataDir: resolve(workingDir, textOf(env, 'HES_DATA_DIR') ?? 'data'),
    databaseUrl: textOf(env, 'DATABASE_URL'),
    databaseOwnerUrl: textOf(env, 'HES_DATABASE_OWNER_URL'),
    databaseDirectUrl: textOf(env, 'HES_DATABASE_DIRECT_URL'),
    bus: busOf(env, workingDir),
    nodeName: textOf(env, 'HES_NODE_NAME') ?? `${hostname()}:${portOf(env, 'HES_PORT', 8080)}`,
    roles: rolesOf(env),
    drainMs: countOf(env, 'HES_DRAIN_S', 25, 600) * 1000,
    drainNoticeMs: countOf(env, 'HES_DRAIN_NOTICE_S', 5, 60, 0) * 1000,
    demo: wordOf(env, 'HES_DEMO', ['auto', 'on', 'off'], 'auto'),
    dlmsPort: portOf(env, 'HES_DLMS_PORT', 4059),
    dlmsUdpPort: textOf(env, 'HES_DLMS_UDP_PORT') === undefined ? undefined : portOf(env, 'HES_DLMS_UDP_PORT', 0),
    dlmsHost: textOf(env, 'HES_DLMS_HOST') ?? host,
    dlmsTls: dlmsTlsOf(env, workingDir),
    plainPasswords: wordOf(env, 'HES_DLMS_PLAIN_PASSWORDS', ['on', 'off'], 'off') === 'on',
    dlmsConnectionsPerAddress: countOf(env, 'HES_DLMS_CONNECTIONS_PER_ADDRESS', 5_000, 20_000),
    dlmsProxies: proxiesOf(env),
    isBalanced: wordOf(env, 'HES_BALANCER', ['on', 'off'], 'off') === 'on',
    traceSharePercent: shareOf(env),
    dialLocal: wordOf(env, 'HES_DIAL_LOCAL', ['on', 'off'], 'off') === 'on',
    dialNetworks: networksOf(env, 'HES_DIAL_NETWORKS'),
    deliveryNetworks: networksOf(env, 'HES_DELIVERY_NETWORKS'),
    deliveryFolder: folderOf(env, 'HES_DELIVERY_FOLDER', workingDir),
    httpConnectionsPerAddress: countOf(env, 'HES_HTTP_CONNECTIONS_PER_ADDRESS', 500, 20_000),
    httpRequestS: countOf(env, 'HES_HTTP_REQUEST_S', 30, 3_600),
    responseTimeout: {
      shortestMs: msOf(env, 'HES_SHORTEST_RESPONSE_MS', 4_000),
      longestMs: msOf(env, 'HES_LONGEST_RESPONSE_MS', 30_000),
    },
    metrics:
      textOf(env, 'HES_METRICS_PORT') === undefined
        ? undefined
        : { port: portOf(env, 'HES_METRICS_PORT', 0), host: textOf(env, 'HES_METRICS_HOST') ?? '127.0.0.1' },
    adminName: userNameOf(env, 'HES_ADMIN_NAME', 'admin'),
    ...passwordsOf(env),
    debugPages: wordOf(env, 'HES_DEBUG_PAGES', ['auto', 'on', 'off'], 'auto'),
    masterKey,
    previousMasterKey: keyOf(env, 'HES_MASTER_KEY_PREVIOUS'),
    auditSyslog: syslogOf(env, workingDir),
    auditWebhook: webAddressOf(env, 'HES_AUDIT_WEBHOOK'),
    logLevel: textOf(env, 'HES_LOG_LEVEL') === undefined ? undefined : wordOf(env, 'HES_LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: wordOf(env, 'HES_LOG_FORMAT', ['auto', 'json', 'text'], 'auto'),
    lifelineFd: lifeline === undefined ? undefined : Number(lifeline),
    ...tlsOf(env),
    trustedProxies: networksOf(env, 'HES_TRUSTED_PROXY'),
    strict: wordOf(env, 'HES_STRICT', ['on', 'off'], 'off') === 'on',
    secureCookies: wordOf(env, 'HES_SECURE_COOKIES', ['on', 'off'], 'off') === 'on',
    logoMarker: textOf(env, 'HES_LOGO_MARKER') ?? '',
    logoAddress: textOf(env, 'HES_LOGO_ADDRESS') ?? '',
  };
  if (config.strict) requireEncryption(config);
  return config;
}
