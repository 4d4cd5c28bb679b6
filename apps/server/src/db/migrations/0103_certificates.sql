-- why: authentication mechanism 7 (HLS-ECDSA) and agreed keys need certificates of devices, of authorities, and key pairs of the head-end
create table certificate (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('device', 'head_end', 'authority')),
  -- In the order of their names, so that the index of key pairs in use compares them.
  usages text[] not null check (cardinality(usages) > 0 and usages <@ '{certificate_sign,digital_signature,key_agreement}'),
  suite smallint not null check (suite in (1, 2)),
  -- Common name; of devices and of the head-end the system title in upper-case hexadecimal digits.
  subject text not null,
  system_title bytea check (octet_length(system_title) = 8),
  -- X and Y of the point.
  public_key bytea not null check (octet_length(public_key) = case suite when 1 then 64 else 96 end),
  private_key_secret bytea,
  is_current boolean not null default false,
  -- DER; null: a key pair of the head-end that waits for its certificate.
  octets bytea,
  issuer text,
  issuer_id bigint references certificate (id),
  serial_number text,
  valid_from timestamptz,
  valid_to timestamptz,
  -- SHA-256 of the certificate, or of the public key while there is no certificate.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- The last alarm about the end of the certificate.
  announced text check (announced in ('expiring', 'expired')),
  created_at timestamptz not null,
  created_by bigint,
  check ((kind = 'head_end') = (private_key_secret is not null)),
  check ((kind = 'authority') = (system_title is null)),
  check (octets is not null or kind = 'head_end'),
  check ((octets is null) = (valid_to is null) and (octets is null) = (valid_from is null) and (octets is null) = (issuer is null)),
  check (not is_current or (kind = 'head_end' and octets is not null))
);
create unique index certificate_fingerprint on certificate (fingerprint);
create unique index certificate_own_key on certificate (public_key) where kind = 'head_end';
create unique index certificate_current on certificate (suite, usages) where is_current;
create index certificate_title on certificate (system_title);
create index certificate_key on certificate (public_key);
create index certificate_issuer on certificate (issuer_id);
create index certificate_end on certificate (valid_to nulls first, id);
-- Keys of each APDU that both sides agree on (general-ciphering), and signatures of each APDU (general-signing).
alter table meter_type add column key_agreement text not null default 'none' check (key_agreement in ('none', 'one_pass', 'static'));
alter table meter_type add column general_signing boolean not null default false;
-- A certificate finds its device by the system title.
create index meter_system_title on meter (system_title) where system_title is not null;
create index dcu_system_title on dcu (system_title) where system_title is not null;
