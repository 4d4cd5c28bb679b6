import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import {
  AndFilter,
  Client,
  EqualityFilter,
  ExtensibleFilter,
  FilterParser,
  InvalidCredentialsError,
  ResultCodeError,
  type Entry,
  type Filter,
} from 'ldapts';
import { AddressRefused, refusalOf } from '#platform/guarded-network.ts';
import { openGuardedSocket, tlsOptionsOf } from '#platform/guarded-socket.ts';
import { ProviderFailed, type ProviderClient } from './provider-failure.ts';

const TIMEOUT_MS = 10_000;
const MAX_OCTETS = 2_097_152;
const MAX_GROUPS = 1000;
const MAX_PASSWORD = 256;
const [LDAPS_PORT, LDAP_PORT] = [636, 389];
/** Rule of Active Directory that follows groups in groups (LDAP_MATCHING_RULE_IN_CHAIN). */
const IN_CHAIN = '1.2.840.113556.1.4.1941';
const NAMES = ['displayName', 'cn', 'mail'];

/** Claims of a person, as those of an ID token: attributes by name, `sub` and the groups. */
export type PersonClaims = Record<string, unknown>;

/**
 * A value within a filter (RFC 4515, 3): ASCII but letters and digits as octets, so that it ends no filter and matches itself alone. Other letters
 * stay, because the library reads escaped octets as Latin-1.
 */
export const escapeFilter = (value: string): string =>
  value.replaceAll(/[\0-/:-@[-`{-\x7f]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Ends a connection whose server sends more than an answer may have. */
function limited<S extends Socket>(socket: S): S {
  let octets = 0;
  socket.on('data', (chunk: Buffer) => {
    octets += chunk.length;
    if (octets > MAX_OCTETS) socket.destroy(new Error(`more than ${MAX_OCTETS} octets`));
  });
  return socket;
}

/** A client that reaches permitted addresses alone, and by TLS alone: LDAPS, or StartTLS before the first request. */
function openClient(address: string, { config: { ca }, networks }: ProviderClient) {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLdaps = url.protocol === 'ldaps:';
  const port = Number(url.port || (isLdaps ? LDAPS_PORT : LDAP_PORT));
  const refusal = refusalOf(host, true, networks);
  if (refusal !== undefined) throw new ProviderFailed(refusal.failure, refusal.detail);
  const target = { host, port, ca, networks };
  const tls: ConnectionOptions = { ...tlsOptionsOf({ ca }), host, ...(isIP(host) === 0 ? { servername: host } : {}) };
  const client = new Client({
    url: `${url.protocol}//${url.host}`,
    timeout: TIMEOUT_MS,
    connectTimeout: TIMEOUT_MS,
    // The library takes options of TLS for LDAPS, whatever the address says.
    ...(isLdaps ? { tlsOptions: tls } : {}),
    createConnection: () => limited(openGuardedSocket({ ...target, isEncrypted: false, isProtected: true })),
    // With a socket it is StartTLS, otherwise the connection itself.
    createSecureConnection: ((given: unknown) => {
      if (typeof given !== 'object' || given === null) return limited(openGuardedSocket({ ...target, isEncrypted: true }));
      const options = given as ConnectionOptions; // as: the library gives options to StartTLS, and a port otherwise
      options.socket?.removeAllListeners('data');
      return limited(connectTls(options));
    }) as unknown as typeof connectTls, // as: the signatures of Node that the library uses
  });
  return { client, secure: async () => void (isLdaps ? undefined : await client.startTLS(tls)) };
}

function failureOf(error: unknown): ProviderFailed {
  if (error instanceof ProviderFailed) return error;
  if (error instanceof AddressRefused) return new ProviderFailed('address_refused', error.address);
  if (error instanceof ResultCodeError) return new ProviderFailed('refused', `${error.code} ${error.name}`, error);
  const detail = error instanceof Error ? error.message.slice(0, 200) : null;
  return new ProviderFailed(/timeout/i.test(detail ?? '') ? 'timeout' : 'unreachable', detail, error);
}

/** Runs a dialogue at the first server that answers. `work` begins on an encrypted connection without identity. */
async function withServer<T>(directory: ProviderClient, work: (client: Client) => Promise<T>): Promise<T> {
  let failed = new ProviderFailed('unreachable', null);
  for (const address of directory.config.servers.split(/ +/)) {
    let client: Client | undefined;
    try {
      const opened = openClient(address, directory);
      client = opened.client;
      await opened.secure();
      return await work(client);
    } catch (error) {
      failed = failureOf(error);
      // A refusal is an answer: other servers have the same directory.
      if (failed.failure === 'refused') throw failed;
    } finally {
      await client?.unbind().catch(() => undefined);
    }
  }
  throw failed;
}

const bindService = (client: Client, { config: { bindDn }, secret }: ProviderClient): Promise<void> =>
  bindDn === '' ? Promise.resolve() : client.bind(bindDn, secret);

const textsOf = (value: Entry[string] | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => (typeof one === 'string' ? one : one.toString('hex')));

/** Active Directory names entries by octets. */
const isGuid = (attribute: string): boolean => attribute.toLowerCase() === 'objectguid';

/** The only entry that a filter finds; undefined for none and for several, because a name must mean one person. */
async function findEntry(client: Client, { config }: ProviderClient, filter: Filter | string): Promise<Entry | undefined> {
  const { baseDn, idAttribute, usernameClaim, groupsClaim } = config;
  const attributes = [...new Set([idAttribute, usernameClaim, groupsClaim, ...NAMES])];
  const binary = isGuid(idAttribute) ? { explicitBufferAttributes: [idAttribute] } : {};
  const { searchEntries } = await client.search(baseDn, {
    scope: 'sub',
    filter,
    attributes,
    sizeLimit: 2,
    timeLimit: TIMEOUT_MS / 1000,
    ...binary,
  });
  return searchEntries.length === 1 ? searchEntries[0] : undefined;
}

/** DNs of the groups of an entry: its own attribute, or a search for groups that have it as a member. */
async function groupsOf(client: Client, { config }: ProviderClient, entry: Entry): Promise<string[]> {
  const { groupSource, groupsClaim, baseDn, groupBaseDn } = config;
  if (groupSource === 'attribute') return textsOf(entry[groupsClaim]);
  const value = entry.dn;
  const filter =
    groupSource === 'nested'
      ? new ExtensibleFilter({ matchType: 'member', rule: IN_CHAIN, value })
      : new EqualityFilter({ attribute: 'member', value });
  const found = await client.search(groupBaseDn || baseDn, { scope: 'sub', filter, attributes: ['1.1'], sizeLimit: MAX_GROUPS });
  return found.searchEntries.map(({ dn }) => dn);
}

async function claimsOf(client: Client, directory: ProviderClient, entry: Entry): Promise<PersonClaims | undefined> {
  const { idAttribute, usernameClaim, groupsClaim } = directory.config;
  const [sub] = textsOf(entry[idAttribute]);
  const [username] = textsOf(entry[usernameClaim]);
  if (sub === undefined || username === undefined) return undefined;
  const [name = username] = [...textsOf(entry['displayName']), ...textsOf(entry['cn'])];
  const [email] = textsOf(entry['mail']);
  const claims = { sub, name, [usernameClaim]: username, ...(email === undefined ? {} : { email, email_verified: true }) };
  return { ...claims, [groupsClaim]: await groupsOf(client, directory, entry) };
}

const filterFor = ({ config }: ProviderClient, name: string): string => config.userFilter.replaceAll('{name}', () => name);

/** Whether a password is usable: a bind with an empty one succeeds without authentication (RFC 4513, 5.1.2). */
const isUsable = (password: string): boolean => password !== '' && password.length <= MAX_PASSWORD && !password.includes('\0');

/** Binds as the entry. False: the directory refuses the password, or the account. */
async function isPasswordOf(client: Client, dn: string, password: string): Promise<boolean> {
  if (dn === '' || !isUsable(password)) return false;
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof InvalidCredentialsError) return false;
    throw error;
  }
}

/** The claims of a person whose name and password are right. Undefined: they are wrong, or the name means no one or several. */
export const authenticate = (directory: ProviderClient, username: string, password: string): Promise<PersonClaims | undefined> =>
  withServer(directory, async (client) => {
    if (username === '' || !isUsable(password)) return undefined;
    await bindService(client, directory);
    const entry = await findEntry(client, directory, filterFor(directory, escapeFilter(username)));
    if (entry === undefined) return undefined;
    // Read by the service account, whose view the mapping was made for.
    const claims = await claimsOf(client, directory, entry);
    return (await isPasswordOf(client, entry.dn, password)) ? claims : undefined;
  });

/** The claims of a person by the permanent name. Undefined: the person has left the directory, or the filter of users. */
export const lookUp = (directory: ProviderClient, subject: string): Promise<PersonClaims | undefined> =>
  withServer(directory, async (client) => {
    await bindService(client, directory);
    const entry = await findSubject(client, directory, subject);
    return entry && claimsOf(client, directory, entry);
  });

/** Whether a password is that of the person of this permanent name. */
export const isDirectoryPassword = (directory: ProviderClient, subject: string, password: string): Promise<boolean> =>
  withServer(directory, async (client) => {
    await bindService(client, directory);
    const entry = await findSubject(client, directory, subject);
    return entry !== undefined && isPasswordOf(client, entry.dn, password);
  });

/** The entry of a permanent name, if the filter of users finds it. A GUID is compared by its octets. */
function findSubject(client: Client, directory: ProviderClient, subject: string): Promise<Entry | undefined> {
  const { idAttribute } = directory.config;
  const value = isGuid(idAttribute) ? Buffer.from(subject, 'hex') : subject;
  const users = FilterParser.parseString(filterFor(directory, '*'));
  return findEntry(client, directory, new AndFilter({ filters: [new EqualityFilter({ attribute: idAttribute, value }), users] }));
}

/** Connects, binds as the service account and reads the base. */
export const testDirectory = (directory: ProviderClient): Promise<void> =>
  withServer(directory, async (client) => {
    await bindService(client, directory);
    await client.search(directory.config.baseDn, { scope: 'base', filter: '(objectClass=*)', attributes: ['1.1'] });
  });
