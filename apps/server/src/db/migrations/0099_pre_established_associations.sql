-- why: some meters hold an association that exists without an association request (IDIS pre-established client)
alter table meter_type add column association text not null default 'negotiated' check (association in ('negotiated', 'pre_established'));
