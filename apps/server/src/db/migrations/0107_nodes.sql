-- why: several head-ends work on one database. A run of the head-end is a node of the cluster, and each connection says which node holds it.
alter table head_end_run rename to node;
alter index head_end_run_alive rename to node_alive;
alter table node
  -- Of the machine or its place in the cluster: a node that starts again has the same name.
  add column name text not null default '',
  add column version text not null default '',
  -- Of its leases of work; its advisory lock is keyed by it.
  add column owner text,
  -- The node stopped, or other nodes have declared it dead.
  add column ended_at timestamptz;
update node set ended_at = alive_at;
create index node_open on node (id) where ended_at is null;

-- The last session of a device names the node to which it is, or was last, connected.
alter table dcu_session add column node_id bigint;
create index dcu_session_of_node on dcu_session (node_id) where closed_at is null;
-- The node that holds the connection; null: none.
alter table endpoint add column node_id bigint;
create index endpoint_of_node on endpoint (node_id) where node_id is not null;
create or replace view dcu as
select id, sn, name, dcu_type_id, transformer_id, protocol, communicate_type, connection_type, host, port, authentication_type, client_sap, server_sap,
  system_title, ek_secret, ak_secret, invocation_counter, data_channel, country, longitude, latitude, firmware_version, online_status, last_comm_at,
  last_session_id, clock_deviation_s, created_at, updated_at, version, password_secret, master_key_secret, sim_iccid, apn, msisdn, note, proved_counter,
  counter_jumped_at, physical_address, node_id
from endpoint where kind = 'dcu';
