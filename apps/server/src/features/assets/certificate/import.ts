import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { LISTED_CERTIFICATES, type CertificateImportResult, type ImportedCertificate } from '@hes/contract/asset/certificate.ts';
import { say, type Locale, type Text } from '@hes/contract/core/text.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import type { Certificate } from '@hes/dlms/security/certificate.ts';
import { writeAudit } from '#db/audit.ts';
import { commitChanges, devicesChanged, type Change } from '#db/changes.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { clientTitleOf } from '#platform/client-title.ts';
import {
  isAuthority,
  judgeCertificate,
  NOT_READABLE,
  WITHOUT_DEVICE,
  type Authority,
  type Judged,
  type Known,
  type OwnKeyPair,
} from './judge.ts';
import { decodeCertificate, splitCertificates } from '#platform/certificate-file.ts';
import {
  certifyKeyPair,
  findAuthorities,
  findFingerprints,
  findHolders,
  findTitled,
  insertCertificate,
  lockOwnKeyPairs,
  type NewCertificate,
  type TitledDevice,
} from './store.ts';

/** Certificates that are verified before other calls of the event loop get their turn; each takes about half a millisecond. */
const VERIFIED_AT_ONCE = 50;

interface Entry {
  number: number;
  /** Undefined: not a certificate of the suites. */
  certificate: Certificate | undefined;
  fingerprint: Buffer;
}

interface Verdict {
  entry: Entry;
  verdict: ImportedCertificate['verdict'];
  text?: Text;
}

/** System title in the subject, in upper case; none for authorities. */
const titleOf = (certificate: Certificate | undefined): string[] =>
  certificate !== undefined && /^[0-9A-F]{16}$/i.test(certificate.subject) ? [certificate.subject.toUpperCase()] : [];
const sha256 = (octets: Uint8Array): Buffer => createHash('sha256').update(octets).digest();

const entriesOf = (file: Uint8Array): Entry[] =>
  splitCertificates(file).map((octets, index) => ({
    number: index + 1,
    certificate: decodeCertificate(octets),
    fingerprint: sha256(octets),
  }));

/** Authorities come first, because they may have issued the others; each issuer before what it has issued. */
function inOrderOfIssue(entries: readonly Entry[]): Entry[] {
  const ordered: Entry[] = [];
  let rest = entries.filter(({ certificate }) => certificate !== undefined && isAuthority(certificate));
  while (rest.length > 0) {
    const waiting = new Set(rest.flatMap(({ certificate }) => certificate?.subject ?? []));
    const isReady = ({ certificate }: Entry) =>
      certificate === undefined || certificate.issuer === certificate.subject || !waiting.has(certificate.issuer);
    const ready = rest.filter(isReady);
    // Authorities that name each other in a circle are judged in any order, and refused.
    const taken = new Set(ready.length > 0 ? ready : rest);
    ordered.push(...taken);
    rest = rest.filter((entry) => !taken.has(entry));
  }
  const first = new Set(ordered);
  return [...ordered, ...entries.filter((entry) => !first.has(entry))];
}

/** Facts of one import, which grow with each certificate that is stored. */
interface Import {
  tx: Tx;
  userId: string;
  now: Date;
  known: Known & { authorities: Authority[]; holders: Map<string, string>; ownKeyPairs: OwnKeyPair[] };
  /** Fingerprints of stored certificates. */
  stored: Set<string>;
}

async function prepareImport(
  tx: Tx,
  ctx: Context,
  { user }: Who,
  entries: readonly Entry[],
  devices: readonly TitledDevice[],
): Promise<Import> {
  const now = ctx.clock.now();
  const keys = entries.flatMap(({ certificate }) => certificate?.publicKey ?? []);
  return {
    tx,
    userId: user.id,
    now: new Date(now),
    stored: await findFingerprints(
      tx,
      entries.map(({ fingerprint }) => fingerprint),
    ),
    known: {
      now,
      ownTitle: toHex(clientTitleOf(ctx.secrets)),
      authorities: await findAuthorities(tx),
      ownKeyPairs: await lockOwnKeyPairs(tx),
      holders: await findHolders(tx, keys),
      titles: new Set(devices.map(({ title }) => toHex(title))),
      isWholeNetwork: seesWholeNetwork(user),
    },
  };
}

/** Verifies and stores one certificate. */
async function importOne(work: Import, entry: Entry): Promise<Verdict> {
  const { certificate, fingerprint } = entry;
  const { known, stored } = work;
  if (certificate === undefined) return { entry, verdict: 'error', text: NOT_READABLE };
  if (stored.has(fingerprint.toString('hex'))) return { entry, verdict: 'unchanged' };
  const judged = judgeCertificate(certificate, known);
  if (!judged.ok) return { entry, verdict: 'error', text: judged.text };
  const id = await store(work, judged, certificate, fingerprint);
  stored.add(fingerprint.toString('hex'));
  if (id === undefined) return { entry, verdict: 'unchanged' };
  known.holders.set(toHex(certificate.publicKey), judged.subject);
  const { subject, publicKey, fromMs, toMs } = certificate;
  if (judged.kind === 'authority') known.authorities.push({ id, subject, publicKey, fromMs, toMs });
  known.ownKeyPairs = known.ownKeyPairs.map((pair) => (pair.id === judged.ownKeyPairId ? { ...pair, hasCertificate: true } : pair));
  return judged.kind === 'device' && !known.titles.has(judged.subject)
    ? { entry, verdict: 'new', text: WITHOUT_DEVICE }
    : { entry, verdict: 'new' };
}

/** Returns the id of the certificate; undefined when another import has stored it meanwhile. */
async function store(
  { tx, userId, now }: Import,
  { kind, subject, usages, suite, issuer, ownKeyPairId }: Extract<Judged, { ok: true }>,
  { publicKey, octets, issuer: issuerName, serialNumber, fromMs, toMs }: Certificate,
  fingerprint: Buffer,
): Promise<string | undefined> {
  const one: NewCertificate = {
    kind,
    subject,
    usages,
    suite,
    publicKey,
    octets,
    fingerprint,
    fromMs,
    toMs,
    issuer: issuerName,
    issuerId: issuer?.id ?? null,
    serialNumber: toHex(serialNumber),
  };
  if (ownKeyPairId === undefined) return insertCertificate(tx, userId, one, now);
  await certifyKeyPair(tx, ownKeyPairId, one, now);
  return ownKeyPairId;
}

async function audit({ tx, userId, now }: Import, ip: string, fileName: string, verdicts: readonly Verdict[]): Promise<void> {
  const imported = verdicts.flatMap(({ verdict, entry }) => (verdict === 'new' ? (entry.certificate?.subject ?? []) : []));
  const count = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const detail = { file: fileName, imported, unchanged: count('unchanged'), errors: count('error') };
  await writeAudit(tx, { userId, action: 'certificates_imported', entity: 'certificate', entityId: null, detail, ip }, now.getTime());
}

/** Verifies the certificates of a file and stores the valid ones in one transaction. */
export async function importCertificates(
  ctx: Context,
  who: Who,
  { name, file, locale }: { name: string; file: Uint8Array; locale: Locale },
): Promise<CertificateImportResult> {
  const entries = inOrderOfIssue(entriesOf(file));
  const titles = [...new Set(entries.flatMap(({ certificate }) => titleOf(certificate)))].map((title) => Buffer.from(title, 'hex'));
  const devices = await findTitled(ctx.db, who.user, titles);
  const verdicts = await commitChanges(
    ctx,
    async (tx) => {
      const work = await prepareImport(tx, ctx, who, entries, devices);
      const found: Verdict[] = [];
      for (const [index, entry] of entries.entries()) {
        if (index % VERIFIED_AT_ONCE === 0) await yieldToOthers();
        found.push(await importOne(work, entry));
      }
      await audit(work, who.ip, name, found);
      return found;
    },
    (found) => changesOf(found, devices),
  );
  return resultOf(verdicts, locale);
}

/** The next association of these devices uses the new certificates. */
function changesOf(verdicts: readonly Verdict[], devices: readonly TitledDevice[]): Change[][] {
  const fresh = new Set(verdicts.flatMap(({ verdict, entry }) => (verdict === 'new' ? titleOf(entry.certificate) : [])));
  const changed = devices.filter(({ title }) => fresh.has(toHex(title)));
  return (['dcu', 'meter'] as const).map((kind) =>
    devicesChanged(
      kind,
      changed.flatMap((device) => (device.kind === kind ? device.id : [])),
    ),
  );
}

function resultOf(verdicts: readonly Verdict[], locale: Locale): CertificateImportResult {
  const count = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const rows = verdicts
    .toSorted((a, b) => Number(b.verdict === 'error') - Number(a.verdict === 'error') || a.entry.number - b.entry.number)
    .slice(0, LISTED_CERTIFICATES)
    .map(({ entry, verdict, text }): ImportedCertificate => ({
      number: entry.number,
      subject: entry.certificate?.subject ?? null,
      verdict,
      message: text === undefined ? null : say(text, locale),
    }));
  return { new: count('new'), unchanged: count('unchanged'), errors: count('error'), rows };
}
