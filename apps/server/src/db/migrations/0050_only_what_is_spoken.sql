-- why: forms offered values that the field engine did not act on; stored ones become what was spoken in their place, so that nothing changes on the wire
-- A mechanism with a secret is kept where a device has one, because from now on it is spoken; without one GMAC was spoken.
update meter_type t set authentication_type = 'hls_gmac', version = version + 1, updated_at = now()
where authentication_type in ('high', 'hls_ecdsa')
  or authentication_type in ('hls_md5', 'hls_sha1', 'hls_sha256')
    and not exists (select from meter m where m.meter_type_id = t.id and m.password_secret is not null);
update dcu set authentication_type = 'hls_gmac', version = version + 1, updated_at = now()
where authentication_type in ('high', 'hls_ecdsa')
  or authentication_type in ('hls_md5', 'hls_sha1', 'hls_sha256') and password_secret is null;
-- New DCUs of a type begin with its mechanism, and none of them has a secret yet.
update dcu_type t set authentication_type = 'hls_gmac', version = version + 1, updated_at = now()
where authentication_type in ('high', 'hls_ecdsa')
  or authentication_type in ('hls_md5', 'hls_sha1', 'hls_sha256')
    and not exists (select from dcu d where d.dcu_type_id = t.id and d.password_secret is not null);
update dcu set protocol = 'dlms_wrapper', version = version + 1, updated_at = now() where protocol <> 'dlms_wrapper';
update dcu_type set protocol = 'dlms_wrapper', features = '{}', version = version + 1, updated_at = now()
where protocol <> 'dlms_wrapper' or features <> '{}';
alter table dcu_type alter features set default '{}';
update meter_type set security_suite = 0, addressing = 'logical', quirks = '{}', image_block_size = null, version = version + 1, updated_at = now()
where security_suite <> 0 or addressing <> 'logical' or quirks <> '{}' or image_block_size is not null;
-- The words of the contract, as they stand in dcu_type already.
alter table dcu add check (authentication_type in ('none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa'));
alter table meter_type add check (authentication_type in ('none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa'));
