-- why: HDLC addresses a device by an upper address, which is the server SAP, and a lower one
alter table endpoint add column physical_address int check (physical_address between 0 and 16383);
create or replace view dcu as
select id, sn, name, dcu_type_id, transformer_id, protocol, communicate_type, connection_type, host, port, authentication_type, client_sap, server_sap,
  system_title, ek_secret, ak_secret, invocation_counter, data_channel, country, longitude, latitude, firmware_version, online_status, last_comm_at,
  last_session_id, clock_deviation_s, created_at, updated_at, version, password_secret, master_key_secret, sim_iccid, apn, msisdn, note, proved_counter,
  counter_jumped_at, physical_address
from endpoint where kind = 'dcu';
