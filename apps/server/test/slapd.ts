import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { freePort, waitForPort } from './free-port.ts';

const PROGRAM = '/usr/sbin/slapd';
/** Undefined: slapd is not installed. */
export const slapdProgram: string | undefined = existsSync(PROGRAM) ? PROGRAM : undefined;

export const BASE = 'dc=utility,dc=example';
export const SERVICE = { dn: `cn=reader,${BASE}`, password: 'of the reader' };

export interface DirectoryPerson {
  uid: string;
  name: string;
  password: string;
  mail?: string;
}

export interface TestDirectory {
  /** With TLS from the first octet. */
  ldaps: string;
  /** Plain until StartTLS. */
  ldap: string;
  addPerson(person: DirectoryPerson): Promise<void>;
  removePerson(uid: string): Promise<void>;
  /** Members of a group, which is made with the first one. */
  setMembers(group: string, uids: readonly string[]): Promise<void>;
  /** Ends the program; `start` begins it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const personDn = (uid: string): string => `uid=${uid},ou=people,${BASE}`;
export const groupDn = (group: string): string => `cn=${group},ou=groups,${BASE}`;

const configOf = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile ${folder}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
# Without TLS no password is taken.
security simple_bind=64
database mdb
suffix "${BASE}"
rootdn "cn=admin,${BASE}"
rootpw secret
directory ${folder}/db
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
`;

/** A directory by OpenLDAP with TLS, whose groups are also attributes of their members. */
export async function startDirectory({ cert, key }: { cert: string; key: string }): Promise<TestDirectory> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hes-slapd-'));
  mkdirSync(path.join(folder, 'db'));
  writeFileSync(path.join(folder, 'slapd.conf'), configOf(folder));
  writeFileSync(path.join(folder, 'cert.pem'), cert);
  writeFileSync(path.join(folder, 'key.pem'), key);
  const [ldapsPort, ldapPort] = [await freePort(), await freePort()];
  const addresses = { ldaps: `ldaps://127.0.0.1:${ldapsPort}`, ldap: `ldap://127.0.0.1:${ldapPort}` };
  let child: ChildProcess | undefined;
  const start = async () => {
    const started = spawn(PROGRAM, ['-f', path.join(folder, 'slapd.conf'), '-h', `${addresses.ldaps} ${addresses.ldap}`, '-d', '0'], {
      stdio: 'ignore',
    });
    child = started;
    await waitForPort(started, ldapsPort);
  };
  const stop = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    await ended;
  };
  await start();
  const asAdmin = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = new Client({ url: addresses.ldaps, tlsOptions: { ca: cert } });
    try {
      await client.bind(`cn=admin,${BASE}`, 'secret');
      await work(client);
    } finally {
      await client.unbind();
    }
  };
  await asAdmin(async (client) => {
    await client.add(BASE, { objectClass: ['dcObject', 'organization'], dc: 'utility', o: 'Utility' });
    for (const ou of ['people', 'groups']) await client.add(`ou=${ou},${BASE}`, { objectClass: 'organizationalUnit', ou });
    const reader = { objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'reader', userPassword: SERVICE.password };
    await client.add(SERVICE.dn, reader);
  });
  return {
    ...addresses,
    addPerson: ({ uid, name, password, mail }) =>
      asAdmin((client) =>
        client.add(personDn(uid), {
          objectClass: 'inetOrgPerson',
          uid,
          cn: name,
          sn: name,
          userPassword: password,
          ...(mail === undefined ? {} : { mail }),
        }),
      ),
    removePerson: (uid) => asAdmin((client) => client.del(personDn(uid))),
    setMembers: (group, uids) =>
      asAdmin(async (client) => {
        // A group of names has at least one member.
        const values = [SERVICE.dn, ...uids.map(personDn)];
        const { searchEntries } = await client.search(`ou=groups,${BASE}`, { filter: `(cn=${group})` });
        if (searchEntries.length === 0) await client.add(groupDn(group), { objectClass: 'groupOfNames', cn: group, member: values });
        else
          await client.modify(
            groupDn(group),
            new Change({ operation: 'replace', modification: new Attribute({ type: 'member', values }) }),
          );
      }),
    stop,
    start,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
