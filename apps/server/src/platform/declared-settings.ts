/** One setting of the server. docs/settings.md is written from these declarations, and the readers of config.ts accept no other names. */
export interface Setting {
  /** What it does and which values it takes. */
  text: string;
  /** Value of a setting that is absent or empty. */
  initial?: string;
  /** Describes what applies without a value, where that is not a constant. */
  otherwise?: string;
  /** Unit of a number. */
  unit?: 'd' | 'h' | 's' | 'ms' | '%' | 'characters' | 'connections';
  /** Another setting without which this one has no effect. */
  needs?: string;
  /** The value is removed from the environment once it was read. */
  isSecret?: true;
}

export const DECLARED_SETTINGS = {
  HES_CONFIG: {
    text: 'a file with settings, one `NAME=value` per line; lines that begin with # are comments. A variable of the environment is preferred to the same name in the file.',
  },
  HES_SECRETS_COMMAND: {
    text: 'a program that prints settings, one `NAME=value` per line, such as the client of a vault. They replace those of environment and file.',
  },
  HES_PORT: { text: 'port of console and API; 0 takes any free port.', initial: '8080' },
  HES_HOST: { text: 'the address they listen on. 127.0.0.1 is this machine only.', initial: '127.0.0.1' },
  HES_DATA_DIR: { text: 'folder of database, master key and lock file.', initial: 'data' },
  DATABASE_URL: {
    text: 'an external PostgreSQL, 15 or newer, with at least 30 connections available.',
    otherwise: 'a built-in database in the data folder',
  },
  HES_DATABASE_OWNER_URL: {
    text: 'the role that owns the tables of DATABASE_URL and may create schemas, used for migrations only.',
    otherwise: 'the role of DATABASE_URL owns them',
    needs: 'DATABASE_URL',
    isSecret: true,
  },
  HES_DATABASE_DIRECT_URL: {
    text: 'the address of PostgreSQL itself, for two connections that listen, when DATABASE_URL leads through a pooler in transaction mode, such as PgBouncer 1.21 or newer.',
    otherwise: 'DATABASE_URL leads to PostgreSQL',
    needs: 'DATABASE_URL',
    isSecret: true,
  },
  HES_CITUS: {
    text: '`auto` distributes readings, latest values and traces over the workers of Citus where its extension is installed in the database of DATABASE_URL; `off` leaves them where they are.',
    initial: 'auto',
    needs: 'DATABASE_URL',
  },
  HES_BUS_URL: {
    text: 'servers of NATS that carry live messages among head-ends, `nats://host:4222` or with TLS `tls://user:password@host:4222`, separated by commas; for more than about ten head-ends.',
    otherwise: 'PostgreSQL carries them',
    isSecret: true,
  },
  HES_BUS_CA: {
    text: 'PEM file with the certificate authority of the servers in HES_BUS_URL.',
    otherwise: 'the authorities that Node trusts',
    needs: 'HES_BUS_URL',
  },
  HES_BUS_CREDENTIALS: {
    text: 'file with JWT and key (`.creds`) for HES_BUS_URL.',
    otherwise: 'user and password, or the token, in the address',
    needs: 'HES_BUS_URL',
  },
  HES_BACKUP_FOLDER: {
    text: 'folder for backups of the built-in database and for the archive of its WAL, best on another disk or machine. DATABASE_URL is backed up by tools of PostgreSQL, such as pgBackRest.',
    otherwise: 'no backups',
  },
  HES_BACKUP_EVERY_H: {
    text: 'time from one backup to the next, each of which is verified by a restore into a scratch folder; 0 to 720. 0 makes none by itself.',
    initial: '24',
    unit: 'h',
    needs: 'HES_BACKUP_FOLDER',
  },
  HES_BACKUP_KEEP_D: {
    text: 'age at which backups and their WAL are deleted; 1 to 3650. The last two, and the last verified one, remain.',
    initial: '14',
    unit: 'd',
    needs: 'HES_BACKUP_FOLDER',
  },
  HES_BACKUP_WAL_S: {
    text: 'age at which the WAL is archived even if its segment is not full: what is lost at most with the disk; 10 to 86400.',
    initial: '300',
    unit: 's',
    needs: 'HES_BACKUP_FOLDER',
  },
  HES_NODE_NAME: {
    text: 'name of this head-end among several on one database; it stays the same when the head-end starts again.',
    otherwise: 'name of the machine and HES_PORT',
  },
  HES_ROLES: {
    text: 'comma-separated roles of this head-end among several on one database: `web` (console and API), `field` (devices), `analysis` (exports, bills, analyses, retention). Without `web`, HES_PORT answers /livez and /readyz only; without `field`, HES_DLMS_PORT stays closed.',
    otherwise: 'all',
  },
  HES_DRAIN_S: {
    text: 'time for exchanges on the line after SIGTERM, or after the order to drain, before other head-ends on the database take them over; 1 to 600. A head-end without others stops at once.',
    initial: '25',
    unit: 's',
  },
  HES_DRAIN_NOTICE_S: {
    text: 'time that a balancer has to notice that /readyz fails, before a head-end with a console stops after SIGTERM; 0 to 60. A head-end without another one with a console does not wait.',
    initial: '5',
    unit: 's',
  },
  HES_DEMO: {
    text: '`on`, `off`, `auto` (a demonstration utility when the database holds no DCU and only this machine reaches the server), or `remove` (off, and its devices and readings are deleted at the start).',
    initial: 'auto',
  },
  HES_DEMO_LANGUAGE: {
    text: "`en`, `zh`, or `auto` (`zh` where the machine's locale is Chinese): language of the demonstration's names of places, devices and customers. It applies when the demonstration is imported, at its first start.",
    initial: 'auto',
  },
  HES_DLMS_PORT: { text: 'port that DCUs connect to; 0 takes any free port.', initial: '4059' },
  HES_DLMS_UDP_PORT: {
    text: 'port on which direct meters push in datagrams, usually the number of HES_DLMS_PORT. Only pushes that are protected by the keys of their meter count.',
    otherwise: 'none, because anyone can invent the source of a datagram',
  },
  HES_DLMS_HOST: {
    text: 'address of the DLMS port.',
    otherwise: 'HES_HOST, so that no port is open to the network unless it is configured',
  },
  HES_DLMS_TLS: {
    text: '`required`, `offered` or `off`: TLS with client certificates on the DLMS port; `required` also connects to DCUs over TLS.',
    initial: 'off',
  },
  HES_DLMS_TLS_CERT: {
    text: 'PEM file with the certificate of the head-end, used for incoming and outgoing connections.',
    needs: 'HES_DLMS_TLS',
  },
  HES_DLMS_TLS_KEY: { text: 'PEM file with the key of that certificate.', needs: 'HES_DLMS_TLS' },
  HES_DLMS_TLS_CA: {
    text: "PEM file with the authorities of the DCUs' certificates; serial number or common name of a subject is the DCU's serial number.",
    needs: 'HES_DLMS_TLS',
  },
  HES_DLMS_PLAIN_PASSWORDS: {
    text: '`on` allows sending passwords of low-level security (LLS) to other machines without TLS.',
    initial: 'off',
  },
  HES_DLMS_CONNECTIONS_PER_ADDRESS: {
    text: 'maximum number of DLMS connections of one IPv4 address or IPv6 /64. It is high because many DCUs share the address of a mobile gateway.',
    initial: '5000',
    unit: 'connections',
  },
  HES_PROXY_PROTOCOL: {
    text: '`on` expects the PROXY protocol, version 2 or 1, on DLMS connections from the addresses in HES_PROXY_PROTOCOL_FROM, so that limits and logs know the addresses of devices behind a balancer.',
    initial: 'off',
  },
  HES_PROXY_PROTOCOL_FROM: { text: 'comma-separated addresses and CIDR blocks of the balancers that speak the PROXY protocol.' },
  HES_BALANCER: {
    text: '`on` when devices reach all head-ends on the database through one balancer: a head-end that holds more of them than the others lets some go, which connect again, to one that holds fewer.',
    initial: 'off',
  },
  HES_TRACE_SHARE: {
    text: 'percentage, 0 to 100, of dialogues of successful collection whose frames are kept. Those of commands, operators’ orders, failures and captures always are.',
    otherwise: '100 with the built-in database, and 1 with DATABASE_URL',
    unit: '%',
  },
  HES_DIAL_LOCAL: {
    text: '`on` permits connections to DCUs at loopback and link-local addresses, as a simulated fleet needs.',
    initial: 'off',
  },
  HES_DIAL_NETWORKS: {
    text: 'comma-separated addresses and CIDR blocks of DCUs that the head-end may connect to.',
    otherwise: 'all networks except this machine',
  },
  HES_DELIVERY_NETWORKS: {
    text: 'comma-separated addresses and CIDR blocks of internal networks that senders, channels of alarms and identity providers may reach, without encryption as well.',
    otherwise: 'addresses of the Internet only, by HTTPS',
  },
  HES_DELIVERY_FOLDER: {
    text: 'folder below which senders may write files, on every head-end with the role `analysis`.',
    otherwise: 'none, and senders to folders are refused',
  },
  HES_HTTP_CONNECTIONS_PER_ADDRESS: {
    text: 'maximum number of HTTP connections of one IPv4 address or IPv6 /64; raise it for a proxy, whose users share its address.',
    initial: '500',
    unit: 'connections',
  },
  HES_HTTP_REQUEST_S: {
    text: 'timeout for receiving a whole request; raise it for uploads over slow lines.',
    initial: '30',
    unit: 's',
  },
  HES_SHORTEST_RESPONSE_MS: { text: 'lower bound of the adaptive response timeout of each DCU.', initial: '4000', unit: 'ms' },
  HES_LONGEST_RESPONSE_MS: { text: 'upper bound of the adaptive response timeout of each DCU.', initial: '30000', unit: 'ms' },
  HES_METRICS_PORT: {
    text: 'port of the metrics for Prometheus, at `/metrics`. They need no sign-in, so only the monitoring may reach the port.',
    otherwise: 'no metrics',
  },
  HES_METRICS_HOST: { text: 'address that HES_METRICS_PORT listens on.', initial: '127.0.0.1', needs: 'HES_METRICS_PORT' },
  HES_OTLP_URL: {
    text: 'collector of traces (OpenTelemetry, OTLP over HTTP), such as `http://collector:4318`. Spans lead from a call to the exchanges with meters; they hold ids and no readings.',
    otherwise: 'no traces',
  },
  HES_OTLP_AUTHORIZATION: {
    text: 'value of the header Authorization for HES_OTLP_URL, such as `Bearer …`.',
    otherwise: 'none',
    needs: 'HES_OTLP_URL',
    isSecret: true,
  },
  HES_OTLP_SHARE: {
    text: 'share of the traces that are exported, by chance; callers that send a `traceparent` decide for theirs.',
    initial: '100',
    unit: '%',
    needs: 'HES_OTLP_URL',
  },
  HES_ADMIN_NAME: { text: 'user name of the first administrator; used only while the database holds no user.', initial: 'admin' },
  HES_ADMIN_PASSWORD: {
    text: 'initial password of the first administrator.',
    otherwise: 'generated, printed once, and must be changed at the first sign-in',
    isSecret: true,
  },
  HES_PASSWORD_MIN: {
    text: 'minimum length of new passwords, 7 to 64. NIST SP 800-63B recommends 15.',
    initial: '7',
    unit: 'characters',
  },
  HES_DEBUG_PAGES: {
    text: '`on`, `off` or `auto` (on in a demonstration, and where only this machine reaches the server).',
    initial: 'auto',
  },
  HES_MASTER_KEY: {
    text: '64 hex digits that encrypt device keys.',
    otherwise: 'generated into the data folder, mode 0600',
    isSecret: true,
  },
  HES_MASTER_KEY_PREVIOUS: {
    text: 'the key that HES_MASTER_KEY replaces, until its rotation is finished.',
    otherwise: '`master.key.previous` in the data folder, if any',
    isSecret: true,
  },
  HES_AUDIT_SYSLOG: {
    text: '`tls://host:port` of a syslog server that receives every row of audit and command log (RFC 5425); `host:port`: only the newest hashes, over UDP.',
  },
  HES_AUDIT_SYSLOG_CA: {
    text: 'PEM file with the certificate authority of that server.',
    otherwise: 'the authorities that Node trusts',
    needs: 'HES_AUDIT_SYSLOG',
  },
  HES_AUDIT_WEBHOOK: { text: 'an http or https URL that receives the same as JSON.' },
  HES_LOG_LEVEL: {
    text: '`debug`, `info`, `warn`, `error` or `silent`.',
    otherwise: '`warn` for text on a terminal, `info` elsewhere',
  },
  HES_LOG_FORMAT: {
    text: '`json`, one object per line; `text`, for people; or `auto`: text on a terminal, JSON elsewhere.',
    initial: 'auto',
  },
  HES_LIFELINE_FD: { text: 'a file descriptor; the server stops when it closes, and so never outlives its launcher.' },
  HES_TLS: {
    text: '`self-signed` generates a certificate for console and API; `off` uses plain HTTP unless HES_TLS_CERT is set.',
    initial: 'off',
  },
  HES_TLS_CERT: { text: 'PEM file with the certificate chain for console and API.' },
  HES_TLS_KEY: { text: 'PEM file with the key of that certificate.' },
  HES_TLS_NAMES: {
    text: 'comma-separated names and addresses in the self-signed certificate.',
    otherwise: 'HES_HOST, the name of this machine and localhost',
    needs: 'HES_TLS',
  },
  HES_SECURE_COOKIES: { text: '`on` when a proxy terminates TLS: secure cookies and HSTS are set.', initial: 'off' },
  HES_PUBLIC_URL: {
    text: 'address of the console as browsers reach it, such as `https://hes.example.org`, without a path. Identity providers return to it, and security keys are bound to its name; set it behind a proxy.',
    otherwise: 'the address of each call, and security keys on this machine only',
  },
  HES_STRICT: {
    text: '`on` refuses to start unless the settings encrypt all connections, and requires a second factor of all users.',
    initial: 'off',
  },
  HES_TRUSTED_PROXY: { text: 'comma-separated addresses and CIDR blocks of proxies whose X-Forwarded-For is trusted.' },
  HES_LOGO_MARKER: { text: 'hosts whose name contains this text show logo variant A.' },
  HES_LOGO_ADDRESS: { text: 'an address that also shows logo variant A.' },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof DECLARED_SETTINGS;

/** Every setting with its declaration, in the order of docs/settings.md. */
// as: the keys of the table are the names.
export const EVERY_SETTING = Object.entries(DECLARED_SETTINGS) as [SettingName, Setting][];
