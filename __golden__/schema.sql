create table alarm (
  id bigint not null generated as identity,
  rule_id bigint not null,
  log text,
  code integer,
  level text,
  day date,
  opened_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  first_occur_at timestamp with time zone,
  last_occur_at timestamp with time zone,
  events integer not null default 0,
  dcu_ids bigint[] not null default '{}'::bigint[],
  step integer not null default 0,
  wait_seconds integer,
  wait_since timestamp with time zone,
  notified_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  acknowledged_by bigint,
  closed_at timestamp with time zone,
  rule_name text,
  criteria jsonb,
  steps jsonb,
  end_reason text,
  constraint alarm_level_check CHECK ((level = ANY (ARRAY['serious'::text, 'warning'::text]))),
  constraint alarm_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES alarm_rule(id) ON DELETE CASCADE,
  constraint alarm_pkey PRIMARY KEY (id)
);
CREATE INDEX alarm_newest ON public.alarm USING btree (id DESC);
CREATE INDEX alarm_open ON public.alarm USING btree (rule_id, log, code) WHERE (closed_at IS NULL);
CREATE UNIQUE INDEX alarm_digest ON public.alarm USING btree (rule_id, day) WHERE (day IS NOT NULL);

create table alarm_channel (
  id bigint not null generated as identity,
  name text not null,
  kind text not null,
  config jsonb not null,
  ref uuid not null,
  target text not null,
  secret bytea not null,
  has_secret boolean not null default false,
  is_paused boolean not null default false,
  failures integer not null default 0,
  is_reported boolean not null default false,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  failure_code text,
  failure_detail text,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint alarm_channel_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'webhook'::text]))),
  constraint alarm_channel_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint alarm_channel_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX alarm_channel_name ON public.alarm_channel USING btree (lower(name));

create table alarm_event (
  alarm_id bigint not null,
  event_id bigint not null,
  constraint alarm_event_alarm_id_fkey FOREIGN KEY (alarm_id) REFERENCES alarm(id) ON DELETE CASCADE,
  constraint alarm_event_pkey PRIMARY KEY (alarm_id, event_id)
);

create table alarm_mark (
  is_only boolean not null default true,
  event_id bigint not null,
  constraint alarm_mark_is_only_check CHECK (is_only),
  constraint alarm_mark_pkey PRIMARY KEY (is_only)
);

create table alarm_message (
  id bigint not null generated as identity,
  alarm_id bigint not null,
  channel_id bigint not null,
  step integer not null,
  recipient_ids bigint[] not null,
  locale text not null,
  message_id uuid not null,
  state text not null default 'waiting'::text,
  attempts integer not null default 0,
  wait_seconds integer not null default 0,
  wait_since timestamp with time zone not null,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  failure_code text,
  answer text,
  outcomes jsonb not null default '[]'::jsonb,
  is_uncertain boolean not null default false,
  constraint alarm_message_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'dropped'::text]))),
  constraint alarm_message_alarm_id_fkey FOREIGN KEY (alarm_id) REFERENCES alarm(id) ON DELETE CASCADE,
  constraint alarm_message_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES alarm_channel(id) ON DELETE CASCADE,
  constraint alarm_message_pkey PRIMARY KEY (id),
  constraint alarm_message_message_id_key UNIQUE (message_id)
);
CREATE INDEX alarm_message_of ON public.alarm_message USING btree (alarm_id, id);
CREATE INDEX alarm_message_sent ON public.alarm_message USING btree (channel_id, sent_at) WHERE (state = 'sent'::text);
CREATE INDEX alarm_message_waiting ON public.alarm_message USING btree (id) WHERE (state = 'waiting'::text);

create table alarm_recipient (
  id bigint not null generated as identity,
  name text not null,
  email text,
  phone text,
  locale text not null,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint alarm_recipient_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint alarm_recipient_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX alarm_recipient_name ON public.alarm_recipient USING btree (lower(name));

create table alarm_rule (
  id bigint not null generated as identity,
  name text not null,
  kind text not null,
  criteria jsonb not null,
  steps jsonb not null,
  is_paused boolean not null default false,
  effective_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint alarm_rule_kind_check CHECK ((kind = ANY (ARRAY['alarm'::text, 'digest'::text]))),
  constraint alarm_rule_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint alarm_rule_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX alarm_rule_name ON public.alarm_rule USING btree (lower(name));

create table analysis_mark (
  id boolean not null default true,
  read_until timestamp with time zone not null,
  constraint analysis_mark_id_check CHECK (id),
  constraint analysis_mark_pkey PRIMARY KEY (id)
);

create table anomaly (
  meter_id bigint not null,
  day date not null,
  type text not null,
  value_kwh numeric(16,4) not null,
  reference_kwh numeric(16,4) not null,
  state text not null default 'found'::text,
  reason text,
  decided_by bigint,
  decided_at timestamp with time zone,
  found_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint anomaly_reason_check CHECK ((char_length(reason) <= 256)),
  constraint anomaly_state_check CHECK ((state = ANY (ARRAY['found'::text, 'confirmed'::text, 'dismissed'::text]))),
  constraint anomaly_type_check CHECK ((type = ANY (ARRAY['upper_limit'::text, 'lower_limit'::text, 'sudden_increase'::text, 'sudden_decrease'::text, 'reverse_electricity'::text]))),
  constraint anomaly_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint anomaly_pkey PRIMARY KEY (meter_id, day)
);
CREATE INDEX anomaly_day ON public.anomaly USING btree (day DESC, type);

create table app_user (
  id bigint not null generated as identity,
  username text not null,
  name text not null,
  phone text,
  email text,
  password_hash text not null,
  lock boolean not null default false,
  lock_reason text,
  must_change_password boolean not null default false,
  failed_count integer not null default 0,
  failed_since timestamp with time zone,
  last_login_at timestamp with time zone,
  locale text not null default 'en-US'::text,
  theme text not null default 'light'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  deleted_at timestamp with time zone,
  credentials_reset_at timestamp with time zone,
  credentials_reset_by bigint,
  kind text not null default 'person'::text,
  may_order text[] not null default '{}'::text[],
  constraint app_user_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'program'::text]))),
  constraint app_user_locale_check CHECK ((locale = ANY (ARRAY['en-US'::text, 'zh-CN'::text, 'es-ES'::text]))),
  constraint app_user_theme_check CHECK ((theme = ANY (ARRAY['light'::text, 'dark'::text]))),
  constraint app_user_username_check CHECK (((char_length(username) >= 2) AND (char_length(username) <= 32))),
  constraint app_user_credentials_reset_by_fkey FOREIGN KEY (credentials_reset_by) REFERENCES app_user(id),
  constraint app_user_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX app_user_username ON public.app_user USING btree (lower(username)) WHERE (deleted_at IS NULL);

create table approval (
  id bigint not null generated as identity,
  task_id bigint not null,
  requested_by bigint not null,
  approver_id bigint,
  state text not null default 'pending'::text,
  comment text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  seal bytea,
  constraint approval_check CHECK ((requested_by <> approver_id)),
  constraint approval_check1 CHECK (((state = 'pending'::text) = (approver_id IS NULL))),
  constraint approval_comment_check CHECK ((char_length(comment) <= 256)),
  constraint approval_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text]))),
  constraint approval_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  constraint approval_pkey PRIMARY KEY (id),
  constraint approval_task_id_key UNIQUE (task_id)
);
CREATE INDEX approval_pending ON public.approval USING btree (expires_at) WHERE (state = 'pending'::text);

create table archive_plan (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  snapshot_id bigint not null,
  steps jsonb not null,
  frames integer not null,
  seconds numeric(10,1) not null,
  created_by bigint,
  created_at timestamp with time zone not null default now(),
  applied_at timestamp with time zone,
  task_id bigint,
  constraint archive_plan_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint archive_plan_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint archive_plan_snapshot_id_fkey FOREIGN KEY (snapshot_id) REFERENCES archive_snapshot(id) ON DELETE CASCADE,
  constraint archive_plan_pkey PRIMARY KEY (id)
);
CREATE INDEX archive_plan_dcu ON public.archive_plan USING btree (dcu_id, created_at DESC);

create table archive_record (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  meter_id bigint,
  sn text not null,
  idx integer,
  bind_state text not null default 'not_bound'::text,
  dispatch_state text not null default 'not_distributed'::text,
  distribution_state text,
  delete_status text not null default 'none'::text,
  diff_kind text,
  diff_fields text[] not null default '{}'::text[],
  dcu_entry jsonb,
  last_dispatch_at timestamp with time zone,
  last_dispatch_by bigint,
  last_verify_at timestamp with time zone,
  last_result text,
  last_reason_code text,
  updated_at timestamp with time zone not null default now(),
  constraint archive_record_bind_state_check CHECK ((bind_state = ANY (ARRAY['bound'::text, 'not_bound'::text]))),
  constraint archive_record_check CHECK (((bind_state = 'not_bound'::text) OR ((meter_id IS NOT NULL) AND (idx IS NOT NULL)))),
  constraint archive_record_delete_status_check CHECK ((delete_status = ANY (ARRAY['none'::text, 'pending_delete'::text, 'deleted'::text, 'delete_failed'::text]))),
  constraint archive_record_diff_kind_check CHECK ((diff_kind = ANY (ARRAY['same'::text, 'hes_only'::text, 'dcu_only'::text, 'param_diff'::text, 'idx_conflict'::text, 'other_dcu'::text]))),
  constraint archive_record_dispatch_state_check CHECK ((dispatch_state = ANY (ARRAY['distributed'::text, 'not_distributed'::text]))),
  constraint archive_record_distribution_state_check CHECK ((distribution_state = ANY (ARRAY['pending_distribution'::text, 'distributed'::text, 'deleted'::text]))),
  constraint archive_record_idx_check CHECK (((idx >= 1) AND (idx <= 65535))),
  constraint archive_record_last_result_check CHECK ((last_result = ANY (ARRAY['ok'::text, 'refused'::text, 'unknown'::text]))),
  constraint archive_record_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint archive_record_last_dispatch_by_fkey FOREIGN KEY (last_dispatch_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint archive_record_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE SET NULL,
  constraint archive_record_pkey PRIMARY KEY (id),
  constraint archive_record_dcu_id_sn_key UNIQUE (dcu_id, sn)
);
CREATE INDEX archive_record_meter ON public.archive_record USING btree (meter_id);
CREATE INDEX archive_record_state ON public.archive_record USING btree (dcu_id, bind_state, dispatch_state);
CREATE UNIQUE INDEX archive_record_one_bound ON public.archive_record USING btree (meter_id) WHERE (bind_state = 'bound'::text);
CREATE UNIQUE INDEX archive_record_point ON public.archive_record USING btree (dcu_id, idx) WHERE (bind_state = 'bound'::text);

create table archive_snapshot (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  task_id bigint,
  taken_at timestamp with time zone not null,
  entries jsonb not null,
  count integer not null,
  frames integer not null,
  duration_ms integer not null,
  constraint archive_snapshot_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint archive_snapshot_pkey PRIMARY KEY (id)
);
CREATE INDEX archive_snapshot_dcu ON public.archive_snapshot USING btree (dcu_id, taken_at DESC);

create table arrival_day (
  dcu_id bigint not null,
  profile text not null,
  begins timestamp with time zone not null,
  got integer[] not null,
  constraint arrival_day_got_check CHECK ((cardinality(got) = 24)),
  constraint arrival_day_profile_check CHECK ((profile = ANY (ARRAY['daily'::text, 'energy'::text, 'lpa'::text, 'lpb'::text]))),
  constraint arrival_day_pkey PRIMARY KEY (dcu_id, profile, begins)
);
CREATE INDEX arrival_day_begins ON public.arrival_day USING btree (begins);

create table audit_log (
  id bigint not null generated as identity,
  at timestamp with time zone not null default now(),
  user_id bigint,
  action text not null,
  entity text not null,
  entity_id text,
  detail jsonb not null default '{}'::jsonb,
  ip text,
  prev_hash bytea not null,
  hash bytea not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id DESC);
CREATE INDEX audit_log_at ON public.audit_log USING btree (at DESC);
CREATE INDEX audit_log_entity ON public.audit_log USING btree (entity, entity_id, id DESC);
CREATE INDEX audit_log_user ON public.audit_log USING btree (user_id, id DESC);

create table bill_line (
  period_id bigint not null,
  meter_id bigint not null,
  transformer_id bigint not null,
  ratio numeric(20,8) not null,
  opening numeric,
  closing numeric,
  used numeric[],
  status text not null,
  flags text[] not null default '{}'::text[],
  opening_trace uuid,
  closing_trace uuid,
  parts jsonb,
  currency text,
  amount numeric(16,2),
  calculated_at timestamp with time zone not null,
  constraint bill_line_status_check CHECK ((status = ANY (ARRAY['complete'::text, 'estimated'::text, 'missing'::text, 'exchanged'::text, 'rollover'::text]))),
  constraint bill_line_period_id_fkey FOREIGN KEY (period_id) REFERENCES bill_period(id) ON DELETE CASCADE,
  constraint bill_line_pkey PRIMARY KEY (period_id, meter_id)
);
CREATE INDEX bill_line_transformer ON public.bill_line USING btree (period_id, transformer_id);

create table bill_period (
  id bigint not null generated as identity,
  kind text not null,
  first_day date not null,
  last_day date not null,
  state text not null default 'open'::text,
  task_id bigint,
  calculated_at timestamp with time zone,
  calculated_by bigint,
  published_at timestamp with time zone,
  published_by bigint,
  version integer not null default 1,
  prices jsonb,
  constraint bill_period_check CHECK (((last_day >= first_day) AND (last_day <= (first_day + 30)))),
  constraint bill_period_kind_check CHECK ((kind = ANY (ARRAY['day'::text, 'month'::text, 'custom'::text]))),
  constraint bill_period_state_check CHECK ((state = ANY (ARRAY['open'::text, 'calculated'::text, 'published'::text]))),
  constraint bill_period_pkey PRIMARY KEY (id),
  constraint bill_period_first_day_last_day_key UNIQUE (first_day, last_day)
);

create table bus_message (
  id bigint not null generated as identity,
  sent_at timestamp with time zone not null default now(),
  payload text not null,
  constraint bus_message_pkey PRIMARY KEY (id)
);

create table certificate (
  id bigint not null generated as identity,
  kind text not null,
  usages text[] not null,
  suite smallint not null,
  subject text not null,
  system_title bytea,
  public_key bytea not null,
  private_key_secret bytea,
  is_current boolean not null default false,
  octets bytea,
  issuer text,
  issuer_id bigint,
  serial_number text,
  valid_from timestamp with time zone,
  valid_to timestamp with time zone,
  fingerprint bytea not null,
  announced text,
  created_at timestamp with time zone not null,
  created_by bigint,
  constraint certificate_announced_check CHECK ((announced = ANY (ARRAY['expiring'::text, 'expired'::text]))),
  constraint certificate_check CHECK ((octet_length(public_key) =
CASE suite
    WHEN 1 THEN 64
    ELSE 96
END)),
  constraint certificate_check1 CHECK (((kind = 'head_end'::text) = (private_key_secret IS NOT NULL))),
  constraint certificate_check2 CHECK (((kind = 'authority'::text) = (system_title IS NULL))),
  constraint certificate_check3 CHECK (((octets IS NOT NULL) OR (kind = 'head_end'::text))),
  constraint certificate_check4 CHECK ((((octets IS NULL) = (valid_to IS NULL)) AND ((octets IS NULL) = (valid_from IS NULL)) AND ((octets IS NULL) = (issuer IS NULL)))),
  constraint certificate_check5 CHECK (((NOT is_current) OR ((kind = 'head_end'::text) AND (octets IS NOT NULL)))),
  constraint certificate_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint certificate_kind_check CHECK ((kind = ANY (ARRAY['device'::text, 'head_end'::text, 'authority'::text]))),
  constraint certificate_suite_check CHECK ((suite = ANY (ARRAY[1, 2]))),
  constraint certificate_system_title_check CHECK ((octet_length(system_title) = 8)),
  constraint certificate_usages_check CHECK (((cardinality(usages) > 0) AND (usages <@ '{certificate_sign,digital_signature,key_agreement}'::text[]))),
  constraint certificate_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES certificate(id),
  constraint certificate_pkey PRIMARY KEY (id)
);
CREATE INDEX certificate_end ON public.certificate USING btree (valid_to NULLS FIRST, id);
CREATE INDEX certificate_issuer ON public.certificate USING btree (issuer_id);
CREATE INDEX certificate_key ON public.certificate USING btree (public_key);
CREATE INDEX certificate_title ON public.certificate USING btree (system_title);
CREATE UNIQUE INDEX certificate_current ON public.certificate USING btree (suite, usages) WHERE is_current;
CREATE UNIQUE INDEX certificate_fingerprint ON public.certificate USING btree (fingerprint);
CREATE UNIQUE INDEX certificate_own_key ON public.certificate USING btree (public_key) WHERE (kind = 'head_end'::text);

create table change (
  id bigint not null generated as identity,
  xid xid8 not null default pg_current_xact_id(),
  at timestamp with time zone not null default now(),
  origin text not null,
  topic text not null,
  message jsonb not null,
  constraint change_pkey PRIMARY KEY (id)
);
CREATE INDEX change_by_transaction ON public.change USING btree (xid);

create table collect_plan (
  id bigint not null generated as identity,
  name text not null,
  type text not null,
  schedule text not null,
  look_back_days integer not null default 7,
  priority integer not null default 5,
  enabled boolean not null default true,
  is_builtin boolean not null default false,
  next_run_at timestamp with time zone,
  last_run_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  schedule_settings jsonb,
  target_kind text not null default 'all'::text,
  target_ids bigint[] not null default '{}'::bigint[],
  execution text not null default 'hes_pull'::text,
  retry_count integer,
  retry_interval_min integer,
  window_from text,
  window_to text,
  owner_id bigint,
  updated_at timestamp with time zone not null default now(),
  constraint collect_plan_check CHECK ((((window_from IS NULL) = (window_to IS NULL)) AND (window_from <> window_to))),
  constraint collect_plan_execution_check CHECK ((execution = ANY (ARRAY['hes_pull'::text, 'dcu_task'::text, 'cache_then_hes'::text]))),
  constraint collect_plan_look_back_days_check CHECK (((look_back_days >= 1) AND (look_back_days <= 60))),
  constraint collect_plan_priority_check CHECK (((priority >= 1) AND (priority <= 9))),
  constraint collect_plan_retry_count_check CHECK (((retry_count >= 0) AND (retry_count <= 10))),
  constraint collect_plan_retry_interval_min_check CHECK (((retry_interval_min >= 1) AND (retry_interval_min <= 240))),
  constraint collect_plan_target_kind_check CHECK ((target_kind = ANY (ARRAY['all'::text, 'level'::text, 'transformer'::text, 'dcu'::text, 'meter_type'::text, 'meter'::text]))),
  constraint collect_plan_type_check CHECK ((type = ANY (ARRAY['daily'::text, 'monthly'::text, 'energy'::text, 'lpa'::text, 'lpb'::text, 'events'::text, 'registers'::text, 'clock_check'::text, 'clock_sync'::text, 'archive_check'::text, 'topology'::text, 'modules'::text]))),
  constraint collect_plan_window_from_check CHECK ((window_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text)),
  constraint collect_plan_window_to_check CHECK ((window_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text)),
  constraint collect_plan_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app_user(id),
  constraint collect_plan_pkey PRIMARY KEY (id),
  constraint collect_plan_name_key UNIQUE (name)
);
CREATE INDEX collect_plan_due ON public.collect_plan USING btree (next_run_at) WHERE enabled;

create table collect_plan_item (
  plan_id bigint not null,
  obis_id bigint not null,
  sort integer not null,
  constraint collect_plan_item_obis_id_fkey FOREIGN KEY (obis_id) REFERENCES obis_code(id),
  constraint collect_plan_item_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES collect_plan(id) ON DELETE CASCADE,
  constraint collect_plan_item_pkey PRIMARY KEY (plan_id, obis_id)
);
CREATE INDEX collect_plan_item_obis ON public.collect_plan_item USING btree (obis_id);

create table command_log (
  id bigint not null generated as identity,
  at timestamp with time zone not null,
  user_id bigint,
  kind text not null,
  device_kind text not null,
  device_id bigint not null,
  reason text,
  work_order text,
  request jsonb not null default '{}'::jsonb,
  result text,
  task_id bigint,
  task_item_id bigint,
  trace_id uuid,
  prev_hash bytea not null,
  hash bytea not null,
  constraint command_log_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint command_log_pkey PRIMARY KEY (id)
);
CREATE INDEX command_log_device ON public.command_log USING btree (device_kind, device_id, id DESC);
CREATE INDEX command_log_task ON public.command_log USING btree (task_id);

create table command_trace (
  id uuid not null,
  at timestamp with time zone not null,
  dcu_id bigint,
  meter_id bigint,
  session_id bigint,
  frames bytea not null,
  bytes integer not null,
  duration_ms integer not null,
  constraint command_trace_pkey PRIMARY KEY (id)
);
CREATE INDEX command_trace_at ON public.command_trace USING btree (at);

create table counter_mark (
  id boolean not null default true,
  through bigint not null default 0,
  constraint counter_mark_id_check CHECK (id),
  constraint counter_mark_through_check CHECK (((through >= 0) AND (through <= '4294967296'::bigint))),
  constraint counter_mark_pkey PRIMARY KEY (id)
);

create table dcu_capture (
  dcu_id bigint not null,
  level text not null,
  ends_at timestamp with time zone not null,
  meter_ids bigint[] not null default '{}'::bigint[],
  set_by bigint,
  set_at timestamp with time zone not null default now(),
  direction text,
  constraint dcu_capture_direction_check CHECK ((direction = ANY (ARRAY['down'::text, 'up'::text]))),
  constraint dcu_capture_level_check CHECK ((level = ANY (ARRAY['errors'::text, 'all'::text]))),
  constraint dcu_capture_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint dcu_capture_pkey PRIMARY KEY (dcu_id)
);

create table dcu_frame_log (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  at timestamp with time zone not null,
  direction text not null,
  channel text not null,
  meter_id bigint,
  service text not null,
  octets bytea not null,
  plain bytea,
  latency_ms integer,
  result text,
  note text,
  session_id bigint,
  trace_id uuid,
  task_id bigint,
  constraint dcu_frame_log_channel_check CHECK ((channel = ANY (ARRAY['D'::text, 'M'::text, 'P'::text]))),
  constraint dcu_frame_log_direction_check CHECK ((direction = ANY (ARRAY['down'::text, 'up'::text]))),
  constraint dcu_frame_log_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint dcu_frame_log_pkey PRIMARY KEY (id)
);
CREATE INDEX dcu_frame_log_at ON public.dcu_frame_log USING btree (at);
CREATE INDEX dcu_frame_log_dcu ON public.dcu_frame_log USING btree (dcu_id, at DESC, id DESC);

create table dcu_param_template (
  id bigint not null generated as identity,
  name text not null,
  parameters jsonb not null,
  created_by bigint,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint dcu_param_template_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint dcu_param_template_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX dcu_param_template_name ON public.dcu_param_template USING btree (lower(name));

create table dcu_parameter (
  dcu_id bigint not null,
  key text not null,
  desired text,
  actual text,
  state text not null default 'unknown'::text,
  reason_code text,
  read_at timestamp with time zone,
  written_at timestamp with time zone,
  written_by bigint,
  constraint dcu_parameter_state_check CHECK ((state = ANY (ARRAY['unknown'::text, 'in_sync'::text, 'differs'::text, 'writing'::text, 'written'::text, 'failed'::text]))),
  constraint dcu_parameter_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint dcu_parameter_pkey PRIMARY KEY (dcu_id, key)
);
CREATE INDEX dcu_parameter_differs ON public.dcu_parameter USING btree (dcu_id) WHERE (state = ANY (ARRAY['differs'::text, 'failed'::text]));

create table dcu_session (
  id bigint not null generated as identity,
  dcu_id bigint,
  claimed_name text,
  direction text not null,
  remote text not null,
  opened_at timestamp with time zone not null default now(),
  identified_at timestamp with time zone,
  closed_at timestamp with time zone,
  close_reason text,
  close_detail text,
  bytes_in bigint not null default 0,
  bytes_out bigint not null default 0,
  node_id bigint,
  constraint dcu_session_direction_check CHECK ((direction = ANY (ARRAY['dial_in'::text, 'dial_out'::text]))),
  constraint dcu_session_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint dcu_session_pkey PRIMARY KEY (id)
);
CREATE INDEX dcu_session_dcu ON public.dcu_session USING btree (dcu_id, opened_at DESC);
CREATE INDEX dcu_session_of_node ON public.dcu_session USING btree (node_id) WHERE (closed_at IS NULL);
CREATE INDEX dcu_session_opened ON public.dcu_session USING btree (opened_at DESC);

create table dcu_type (
  id bigint not null generated as identity,
  code text not null,
  name text not null,
  supplier_id bigint not null,
  protocol text not null default 'dlms_wrapper'::text,
  authentication_type text not null default 'hls_gmac'::text,
  max_meters integer not null default 1024,
  heartbeat_s integer not null default 300,
  parallel_meters integer not null default 1,
  apdu_size integer not null default 4096,
  profile_id bigint not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  hardware_version text,
  downlink_modes text[] not null default '{plc}'::text[],
  features text[] not null default '{}'::text[],
  builtin_key text,
  allowed_addresses text[] not null default '{}'::text[],
  constraint dcu_type_apdu_size_check CHECK (((apdu_size >= 128) AND (apdu_size <= 65535))),
  constraint dcu_type_authentication_type_check CHECK ((authentication_type = ANY (ARRAY['none'::text, 'low'::text, 'high'::text, 'hls_md5'::text, 'hls_sha1'::text, 'hls_gmac'::text, 'hls_sha256'::text, 'hls_ecdsa'::text]))),
  constraint dcu_type_downlink_modes_check CHECK (((downlink_modes <@ '{plc,rf,rs485}'::text[]) AND (cardinality(downlink_modes) > 0))),
  constraint dcu_type_heartbeat_s_check CHECK (((heartbeat_s >= 30) AND (heartbeat_s <= 3600))),
  constraint dcu_type_max_meters_check CHECK (((max_meters >= 1) AND (max_meters <= 4096))),
  constraint dcu_type_parallel_meters_check CHECK (((parallel_meters >= 1) AND (parallel_meters <= 32))),
  constraint dcu_type_protocol_check CHECK ((protocol = ANY (ARRAY['dlms_wrapper'::text, 'dlms_hdlc'::text]))),
  constraint dcu_type_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES southbound_profile(id),
  constraint dcu_type_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id),
  constraint dcu_type_pkey PRIMARY KEY (id),
  constraint dcu_type_builtin_key_key UNIQUE (builtin_key),
  constraint dcu_type_code_key UNIQUE (code)
);
CREATE INDEX dcu_type_supplier ON public.dcu_type USING btree (supplier_id);
CREATE UNIQUE INDEX dcu_type_name ON public.dcu_type USING btree (lower(name));

create table dcu_unregistered (
  claimed_name text not null,
  remote text not null,
  system_title bytea,
  first_seen_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  times_seen integer not null default 1,
  constraint dcu_unregistered_pkey PRIMARY KEY (claimed_name)
);

create table dcu_uplink (
  dcu_id bigint not null,
  read_at timestamp with time zone not null,
  has_modem boolean not null,
  signal_dbm smallint,
  bit_error_step smallint,
  operator text,
  registration text,
  packet_service text,
  cell_id bigint,
  location_id integer,
  network text,
  measured_at timestamp with time zone,
  constraint dcu_uplink_bit_error_step_check CHECK (((bit_error_step >= 0) AND (bit_error_step <= 7))),
  constraint dcu_uplink_packet_service_check CHECK ((packet_service = ANY (ARRAY['inactive'::text, 'gprs'::text, 'edge'::text, 'umts'::text, 'hsdpa'::text, 'lte'::text, 'cdma'::text]))),
  constraint dcu_uplink_registration_check CHECK ((registration = ANY (ARRAY['not_registered'::text, 'registered_home'::text, 'searching'::text, 'denied'::text, 'unknown'::text, 'registered_roaming'::text]))),
  constraint dcu_uplink_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint dcu_uplink_pkey PRIMARY KEY (dcu_id)
);

create table device_clock (
  device_kind text not null,
  device_id bigint not null,
  device_time text not null,
  read_at timestamp with time zone not null,
  deviation_ms bigint,
  round_trip_ms integer not null,
  zone_minutes integer,
  status integer,
  clock_base text,
  has_daylight_saving boolean,
  last_sync_at timestamp with time zone,
  last_sync_method text,
  trace_id uuid,
  constraint device_clock_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint device_clock_last_sync_method_check CHECK ((last_sync_method = ANY (ARRAY['shift'::text, 'set'::text, 'broadcast'::text]))),
  constraint device_clock_pkey PRIMARY KEY (device_kind, device_id)
);

create table device_key_log (
  id bigint not null generated as identity,
  device_kind text not null,
  device_id bigint not null,
  key_type text not null,
  method text not null,
  user_id bigint,
  changed_at timestamp with time zone not null default now(),
  constraint device_key_log_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint device_key_log_key_type_check CHECK ((key_type = ANY (ARRAY['password'::text, 'master_key'::text, 'ek'::text, 'ak'::text]))),
  constraint device_key_log_method_check CHECK ((method = ANY (ARRAY['typed'::text, 'imported'::text, 'transferred'::text, 'cleared'::text]))),
  constraint device_key_log_pkey PRIMARY KEY (id)
);
CREATE INDEX device_key_log_device ON public.device_key_log USING btree (device_kind, device_id, changed_at DESC);

create table discovered_meter (
  id bigint not null generated as identity,
  run_id bigint not null,
  dcu_id bigint not null,
  sn text not null,
  address text not null,
  protocol text not null,
  comm_mode text not null,
  phase text not null,
  hops integer not null,
  signal_value integer,
  first_seen timestamp with time zone not null,
  last_seen timestamp with time zone not null,
  times_seen integer not null default 1,
  nameplate jsonb,
  ignored_until timestamp with time zone,
  ignore_reason text,
  constraint discovered_meter_comm_mode_check CHECK ((comm_mode = ANY (ARRAY['plc'::text, 'rf'::text, 'rs485'::text]))),
  constraint discovered_meter_phase_check CHECK ((phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text, 'abc'::text, 'unknown'::text]))),
  constraint discovered_meter_protocol_check CHECK ((protocol = ANY (ARRAY['dlms'::text, 'other'::text]))),
  constraint discovered_meter_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint discovered_meter_run_id_fkey FOREIGN KEY (run_id) REFERENCES discovery_run(id) ON DELETE CASCADE,
  constraint discovered_meter_pkey PRIMARY KEY (id),
  constraint discovered_meter_dcu_id_sn_key UNIQUE (dcu_id, sn)
);
CREATE INDEX discovered_meter_sn ON public.discovered_meter USING btree (sn);

create table discovery_run (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  task_id bigint not null,
  mode text not null,
  state text not null default 'starting'::text,
  poll_seconds integer not null default 10,
  started_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  found integer not null default 0,
  last_poll_at timestamp with time zone,
  reason_code text,
  started_by bigint,
  constraint discovery_run_mode_check CHECK ((mode = ANY (ARRAY['plc'::text, 'rf'::text, 'both'::text]))),
  constraint discovery_run_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'starting'::text, 'searching'::text, 'stopping'::text, 'finished'::text, 'failed'::text]))),
  constraint discovery_run_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint discovery_run_started_by_fkey FOREIGN KEY (started_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint discovery_run_pkey PRIMARY KEY (id)
);
CREATE INDEX discovery_run_dcu ON public.discovery_run USING btree (dcu_id, started_at DESC);
CREATE INDEX discovery_run_task ON public.discovery_run USING btree (task_id);
CREATE UNIQUE INDEX discovery_run_live ON public.discovery_run USING btree (dcu_id) WHERE (state = ANY (ARRAY['starting'::text, 'searching'::text, 'stopping'::text]));

create table endpoint (
  id bigint not null generated as identity,
  sn text not null,
  name text not null,
  dcu_type_id bigint,
  transformer_id bigint,
  protocol text not null default 'dlms_wrapper'::text,
  communicate_type text not null default 'g4'::text,
  connection_type text not null default 'dial_in'::text,
  host text,
  port integer,
  authentication_type text not null default 'hls_gmac'::text,
  client_sap integer not null default 1,
  server_sap integer not null default 1,
  system_title bytea,
  ek_secret bytea,
  ak_secret bytea,
  invocation_counter bigint not null default 1,
  data_channel text not null default 'plc'::text,
  country text,
  longitude numeric(9,6),
  latitude numeric(8,6),
  firmware_version text,
  online_status text not null default 'never'::text,
  last_comm_at timestamp with time zone,
  last_session_id bigint,
  clock_deviation_s integer,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  password_secret bytea,
  master_key_secret bytea,
  sim_iccid text,
  apn text,
  msisdn text,
  note text,
  proved_counter bigint not null default 0,
  counter_jumped_at timestamp with time zone,
  kind text not null default 'dcu'::text,
  physical_address integer,
  node_id bigint,
  constraint dcu_authentication_type_check CHECK ((authentication_type = ANY (ARRAY['none'::text, 'low'::text, 'high'::text, 'hls_md5'::text, 'hls_sha1'::text, 'hls_gmac'::text, 'hls_sha256'::text, 'hls_ecdsa'::text]))),
  constraint dcu_check CHECK (((connection_type <> 'dial_out'::text) OR (host IS NOT NULL))),
  constraint dcu_communicate_type_check CHECK ((communicate_type = ANY (ARRAY['g2'::text, 'g3'::text, 'g4'::text, 'nb_iot'::text, 'ethernet'::text, 'fibre'::text]))),
  constraint dcu_connection_type_check CHECK ((connection_type = ANY (ARRAY['dial_in'::text, 'dial_out'::text]))),
  constraint dcu_data_channel_check CHECK ((data_channel = ANY (ARRAY['plc'::text, 'rf'::text, 'plc_rf'::text, 'rs485'::text]))),
  constraint dcu_invocation_counter_check CHECK (((invocation_counter >= 0) AND (invocation_counter <= '4294967296'::bigint))),
  constraint dcu_latitude_check CHECK (((latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric))),
  constraint dcu_longitude_check CHECK (((longitude >= ('-180'::integer)::numeric) AND (longitude <= (180)::numeric))),
  constraint dcu_online_status_check CHECK ((online_status = ANY (ARRAY['online'::text, 'offline'::text, 'unknown'::text, 'never'::text]))),
  constraint dcu_port_check CHECK (((port >= 1) AND (port <= 65535))),
  constraint dcu_protocol_check CHECK ((protocol = ANY (ARRAY['dlms_wrapper'::text, 'dlms_hdlc'::text]))),
  constraint dcu_proved_counter_check CHECK (((proved_counter >= 0) AND (proved_counter <= '4294967296'::bigint))),
  constraint dcu_system_title_check CHECK ((octet_length(system_title) = 8)),
  constraint endpoint_kind_check CHECK ((kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint endpoint_physical_address_check CHECK (((physical_address >= 0) AND (physical_address <= 16383))),
  constraint endpoint_sn_check CHECK ((sn ~ '^[A-Z0-9]{4,32}$'::text)),
  constraint endpoint_type_check CHECK (((kind = 'meter'::text) OR (dcu_type_id IS NOT NULL))),
  constraint dcu_dcu_type_id_fkey FOREIGN KEY (dcu_type_id) REFERENCES dcu_type(id),
  constraint dcu_transformer_id_fkey FOREIGN KEY (transformer_id) REFERENCES transformer(id),
  constraint dcu_pkey PRIMARY KEY (id),
  constraint dcu_sn_key UNIQUE (sn)
);
CREATE INDEX dcu_dcu_type ON public.endpoint USING btree (dcu_type_id);
CREATE INDEX dcu_online ON public.endpoint USING btree (online_status, sn);
CREATE INDEX dcu_sn_trgm ON public.endpoint USING gin (sn gin_trgm_ops);
CREATE INDEX dcu_system_title ON public.endpoint USING btree (system_title) WHERE (system_title IS NOT NULL);
CREATE INDEX dcu_transformer ON public.endpoint USING btree (transformer_id);
CREATE INDEX endpoint_of_node ON public.endpoint USING btree (node_id) WHERE (node_id IS NOT NULL);

create table energy_balance (
  transformer_id bigint not null,
  day date not null,
  supply_kwh numeric(16,4),
  sold_kwh numeric(16,4) not null,
  plus_kwh numeric(16,4) not null,
  minus_kwh numeric(16,4) not null,
  missing_kwh numeric(16,4) not null,
  meters_expected integer not null,
  meters_data integer not null,
  computed_at timestamp with time zone not null default now(),
  tariffs_kwh numeric[],
  constraint energy_balance_transformer_id_fkey FOREIGN KEY (transformer_id) REFERENCES transformer(id) ON DELETE CASCADE,
  constraint energy_balance_pkey PRIMARY KEY (transformer_id, day)
);
CREATE INDEX energy_balance_day ON public.energy_balance USING btree (day);

create table event (
  id bigint not null generated as identity,
  device_kind text not null,
  meter_id bigint,
  dcu_id bigint,
  log text not null,
  code integer not null,
  occur_at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  direction text not null,
  message text not null default ''::text,
  raw bytea not null,
  note text,
  abnormal_level text,
  source text not null,
  is_muted boolean not null default false,
  ack_at timestamp with time zone,
  ack_by bigint,
  incident_id bigint,
  recovered_at timestamp with time zone,
  dedup_hash bytea not null,
  trace_id uuid,
  version integer not null default 1,
  constraint event_abnormal_level_check CHECK ((abnormal_level = ANY (ARRAY['serious'::text, 'warning'::text]))),
  constraint event_check CHECK (((device_kind = 'meter'::text) = (meter_id IS NOT NULL))),
  constraint event_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text, 'head_end'::text]))),
  constraint event_direction_check CHECK ((direction = ANY (ARRAY['occur'::text, 'recover'::text]))),
  constraint event_head_end_check CHECK (((device_kind = 'head_end'::text) = (dcu_id IS NULL))),
  constraint event_note_check CHECK ((char_length(note) <= 256)),
  constraint event_source_check CHECK ((source = ANY (ARRAY['push'::text, 'pull'::text]))),
  constraint event_pkey PRIMARY KEY (id),
  constraint event_dedup_hash_key UNIQUE (dedup_hash)
);
CREATE INDEX event_code_recent ON public.event USING btree (log, code, occur_at DESC);
CREATE INDEX event_dcu ON public.event USING btree (dcu_id, occur_at DESC);
CREATE INDEX event_incident ON public.event USING btree (incident_id);
CREATE INDEX event_meter ON public.event USING btree (meter_id, occur_at DESC) WHERE (meter_id IS NOT NULL);
CREATE INDEX event_open ON public.event USING btree (occur_at DESC) WHERE ((ack_at IS NULL) AND (abnormal_level IS NOT NULL));
CREATE INDEX event_recent ON public.event USING btree (occur_at DESC, id DESC);

create table event_code (
  log text not null,
  code integer not null,
  name_en text not null,
  name_zh text not null,
  abnormal_level text,
  direction text not null default 'occur'::text,
  pair_code integer,
  enabled boolean not null default true,
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint event_code_abnormal_level_check CHECK ((abnormal_level = ANY (ARRAY['serious'::text, 'warning'::text]))),
  constraint event_code_code_check CHECK (((code >= 0) AND (code <= 65535))),
  constraint event_code_direction_check CHECK ((direction = ANY (ARRAY['occur'::text, 'recover'::text]))),
  constraint event_code_log_check CHECK ((log = ANY (ARRAY['standard'::text, 'fraud'::text, 'disconnector'::text, 'mbus'::text, 'comms'::text, 'quality'::text, 'dcu'::text]))),
  constraint event_code_name_en_check CHECK (((char_length(name_en) >= 1) AND (char_length(name_en) <= 64))),
  constraint event_code_name_zh_check CHECK (((char_length(name_zh) >= 1) AND (char_length(name_zh) <= 64))),
  constraint event_code_pkey PRIMARY KEY (log, code)
);

create table event_mute (
  id bigint not null generated as identity,
  device_kind text not null,
  device_id bigint not null,
  log text not null,
  code integer not null,
  until timestamp with time zone not null,
  reason text not null,
  muted_by bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint event_mute_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint event_mute_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 256))),
  constraint event_mute_pkey PRIMARY KEY (id),
  constraint event_mute_device_kind_device_id_log_code_key UNIQUE (device_kind, device_id, log, code)
);

create table export_job (
  id bigint not null generated as identity,
  user_id bigint not null,
  list text not null,
  file_name text not null,
  state text not null default 'running'::text,
  rows integer not null default 0,
  octets bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  instructions jsonb not null default '{}'::jsonb,
  failure jsonb,
  is_late boolean not null default false,
  constraint export_job_state_check CHECK ((state = ANY (ARRAY['running'::text, 'ready'::text, 'failed'::text]))),
  constraint export_job_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  constraint export_job_pkey PRIMARY KEY (id)
);
CREATE INDEX export_job_created ON public.export_job USING btree (created_at);
CREATE INDEX export_job_running ON public.export_job USING btree (user_id) WHERE (state = 'running'::text);
CREATE INDEX export_job_user ON public.export_job USING btree (user_id, id DESC);

create table export_piece (
  job_id bigint not null,
  number integer not null,
  content bytea not null,
  constraint export_piece_job_id_fkey FOREIGN KEY (job_id) REFERENCES export_job(id) ON DELETE CASCADE,
  constraint export_piece_pkey PRIMARY KEY (job_id, number)
);

create table external_identity (
  user_id bigint not null,
  provider_id bigint not null,
  subject text not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint external_identity_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 512))),
  constraint external_identity_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_provider(id),
  constraint external_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint external_identity_pkey PRIMARY KEY (user_id),
  constraint external_identity_provider_id_subject_key UNIQUE (provider_id, subject)
);

create table firmware (
  id bigint not null generated as identity,
  name text not null,
  version text not null,
  upgrade_protocol text not null,
  supplier_id bigint not null,
  target_kind text not null,
  type_ids bigint[] not null,
  image_identifier text not null,
  block_size integer not null,
  upgrade_reason text not null,
  file_provider text not null,
  from_versions text[] not null default '{}'::text[],
  file_id bigint not null,
  signature text,
  signature_state text not null default 'none'::text,
  state text not null default 'draft'::text,
  created_by bigint,
  touched_by bigint[] not null,
  approved_by bigint,
  approved_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  revision integer not null default 1,
  constraint firmware_block_size_check CHECK (((block_size >= 16) AND (block_size <= 2048))),
  constraint firmware_check CHECK (((approved_by IS NULL) OR (approved_by <> ALL (touched_by)))),
  constraint firmware_signature_state_check CHECK ((signature_state = ANY (ARRAY['none'::text, 'valid'::text, 'no_key'::text]))),
  constraint firmware_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'approved'::text, 'retired'::text]))),
  constraint firmware_target_kind_check CHECK ((target_kind = ANY (ARRAY['dcu'::text, 'rt'::text, 'sta'::text, 'meter'::text]))),
  constraint firmware_upgrade_protocol_check CHECK ((upgrade_protocol = ANY (ARRAY['dlms_image'::text, 'dlms_image_via_dcu'::text, 'vendor_file_pull'::text]))),
  constraint firmware_file_id_fkey FOREIGN KEY (file_id) REFERENCES firmware_file(id),
  constraint firmware_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id),
  constraint firmware_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX firmware_name ON public.firmware USING btree (target_kind, lower(name), version);

create table firmware_chunk (
  file_id bigint not null,
  n integer not null,
  octets bytea not null,
  constraint firmware_chunk_file_id_fkey FOREIGN KEY (file_id) REFERENCES firmware_file(id) ON DELETE CASCADE,
  constraint firmware_chunk_pkey PRIMARY KEY (file_id, n)
);

create table firmware_file (
  id bigint not null generated as identity,
  name text not null,
  size integer not null,
  sha256 text not null,
  format text not null,
  uploaded_by bigint,
  uploaded_at timestamp with time zone not null default now(),
  constraint firmware_file_pkey PRIMARY KEY (id)
);

create table firmware_key (
  supplier_id bigint not null,
  public_key text not null,
  updated_by bigint,
  updated_at timestamp with time zone not null default now(),
  constraint firmware_key_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id) ON DELETE CASCADE,
  constraint firmware_key_pkey PRIMARY KEY (supplier_id)
);

create table held_call (
  id bigint not null generated as identity,
  route text not null,
  content bytea not null,
  digest bytea not null,
  devices integer not null,
  reason text,
  requested_by bigint not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  state text not null default 'pending'::text,
  approver_id bigint,
  decided_at timestamp with time zone,
  comment text,
  constraint held_call_check CHECK ((requested_by <> approver_id)),
  constraint held_call_comment_check CHECK ((char_length(comment) <= 256)),
  constraint held_call_reason_check CHECK ((char_length(reason) <= 256)),
  constraint held_call_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'failed'::text]))),
  constraint held_call_approver_id_fkey FOREIGN KEY (approver_id) REFERENCES app_user(id),
  constraint held_call_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES app_user(id),
  constraint held_call_pkey PRIMARY KEY (id)
);
CREATE INDEX held_call_created ON public.held_call USING btree (created_at);

create table idempotency_key (
  user_id bigint not null,
  key text not null,
  digest bytea not null,
  answer jsonb,
  created_at timestamp with time zone not null,
  constraint idempotency_key_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 128))),
  constraint idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint idempotency_key_pkey PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);

create table identity_provider (
  id bigint not null generated as identity,
  name text not null,
  kind text not null,
  ref uuid not null,
  secret bytea not null,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  failure_code text,
  failure_detail text,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint identity_provider_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'ldap'::text]))),
  constraint identity_provider_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint identity_provider_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX identity_provider_name ON public.identity_provider USING btree (lower(name));

create table import_job (
  id bigint not null generated as identity,
  user_id bigint not null,
  entity text not null,
  file_name text not null,
  content bytea not null,
  created_at timestamp with time zone not null default now(),
  done_at timestamp with time zone,
  constraint import_job_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  constraint import_job_pkey PRIMARY KEY (id)
);
CREATE INDEX import_job_created ON public.import_job USING btree (created_at);

create table incident (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  log text not null,
  code integer not null,
  opened_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint incident_pkey PRIMARY KEY (id)
);
CREATE INDEX incident_cause ON public.incident USING btree (dcu_id, log, code, last_at DESC);

create table known_browser (
  user_id bigint not null,
  hash bytea not null,
  failed_count integer not null default 0,
  failed_since timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone not null default now(),
  constraint known_browser_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint known_browser_pkey PRIMARY KEY (user_id, hash)
);
CREATE INDEX known_browser_hash ON public.known_browser USING btree (hash);

create table master_key (
  key_id text not null,
  state text not null,
  began_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  kept bytea,
  resealed bigint not null default 0,
  constraint master_key_state_check CHECK ((state = ANY (ARRAY['current'::text, 'retiring'::text, 'retired'::text]))),
  constraint master_key_pkey PRIMARY KEY (key_id)
);
CREATE UNIQUE INDEX master_key_current ON public.master_key USING btree (state) WHERE (state = ANY (ARRAY['current'::text, 'retiring'::text]));

create table meter (
  id bigint not null generated as identity,
  sn text not null,
  meter_type_id bigint not null,
  is_master boolean not null default false,
  communication_mode text not null,
  inventory_state text not null default 'in_warehouse'::text,
  transformer_id bigint,
  dcu_id bigint,
  gateway_address bytea,
  ct_ratio numeric(10,4) not null default 1,
  pt_ratio numeric(10,4) not null default 1,
  customer_no text,
  customer_name text,
  address text,
  longitude numeric(9,6),
  latitude numeric(8,6),
  is_generator boolean not null default false,
  system_title bytea,
  ek_secret bytea,
  ak_secret bytea,
  invocation_counter bigint not null default 1,
  peer_invocation_counter bigint not null default '-1'::integer,
  firmware_version text,
  relay_state text not null default 'unknown'::text,
  recorded_phase text not null default 'unknown'::text,
  last_comm_at timestamp with time zone,
  last_read_at timestamp with time zone,
  installed_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  accuracy text,
  voltage text,
  current text,
  phase text,
  password_secret bytea,
  master_key_secret bytea,
  note text,
  removed_at timestamp with time zone,
  protected_supply boolean not null default false,
  protection_lifted_at timestamp with time zone,
  relay_mode integer,
  relay_output boolean,
  relay_read_at timestamp with time zone,
  relay_switched_at timestamp with time zone,
  relay_switched_by bigint,
  marks jsonb not null default '{}'::jsonb,
  memory_id bigint,
  set_aside_until timestamp with time zone,
  set_aside_times integer not null default 0,
  set_aside_why text,
  proved_counter bigint not null default 0,
  counter_jumped_at timestamp with time zone,
  constraint meter_check CHECK (((inventory_state = 'in_warehouse'::text) OR (transformer_id IS NOT NULL) OR (dcu_id IS NOT NULL))),
  constraint meter_communication_mode_check CHECK ((communication_mode = ANY (ARRAY['plc'::text, 'rf'::text, 'direct'::text]))),
  constraint meter_ct_ratio_check CHECK ((ct_ratio > (0)::numeric)),
  constraint meter_inventory_state_check CHECK ((inventory_state = ANY (ARRAY['in_warehouse'::text, 'installed'::text, 'active'::text]))),
  constraint meter_invocation_counter_check CHECK (((invocation_counter >= 0) AND (invocation_counter <= '4294967296'::bigint))),
  constraint meter_latitude_check CHECK (((latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric))),
  constraint meter_longitude_check CHECK (((longitude >= ('-180'::integer)::numeric) AND (longitude <= (180)::numeric))),
  constraint meter_phase_check CHECK ((phase = ANY (ARRAY['1p2w'::text, '3p3w'::text, '3p4w'::text]))),
  constraint meter_proved_counter_check CHECK (((proved_counter >= 0) AND (proved_counter <= '4294967296'::bigint))),
  constraint meter_pt_ratio_check CHECK ((pt_ratio > (0)::numeric)),
  constraint meter_recorded_phase_check CHECK ((recorded_phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text, 'abc'::text, 'unknown'::text]))),
  constraint meter_relay_mode_check CHECK (((relay_mode >= 0) AND (relay_mode <= 6))),
  constraint meter_relay_state_check CHECK ((relay_state = ANY (ARRAY['connected'::text, 'disconnected'::text, 'ready'::text, 'unknown'::text]))),
  constraint meter_sn_check CHECK ((sn ~ '^[A-Z0-9]{4,20}$'::text)),
  constraint meter_system_title_check CHECK ((octet_length(system_title) = 8)),
  constraint meter_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id),
  constraint meter_memory_id_fkey FOREIGN KEY (memory_id) REFERENCES meter_memory(id),
  constraint meter_meter_type_id_fkey FOREIGN KEY (meter_type_id) REFERENCES meter_type(id),
  constraint meter_transformer_id_fkey FOREIGN KEY (transformer_id) REFERENCES transformer(id),
  constraint meter_pkey PRIMARY KEY (id),
  constraint meter_sn_key UNIQUE (sn)
);
CREATE INDEX meter_created ON public.meter USING btree (created_at, sn);
CREATE INDEX meter_customer ON public.meter USING btree (customer_no DESC NULLS LAST, sn DESC);
CREATE INDEX meter_customer_name_trgm ON public.meter USING gin (customer_name gin_trgm_ops);
CREATE INDEX meter_customer_trgm ON public.meter USING gin (customer_no gin_trgm_ops);
CREATE INDEX meter_dcu ON public.meter USING btree (dcu_id, sn);
CREATE INDEX meter_inventory ON public.meter USING btree (inventory_state, sn);
CREATE INDEX meter_inventory_medium ON public.meter USING btree (inventory_state, communication_mode, sn);
CREATE INDEX meter_memory_id ON public.meter USING btree (memory_id);
CREATE INDEX meter_meter_type ON public.meter USING btree (meter_type_id);
CREATE INDEX meter_protected ON public.meter USING btree (sn) WHERE protected_supply;
CREATE INDEX meter_relay ON public.meter USING btree (relay_state, sn);
CREATE INDEX meter_sn_trgm ON public.meter USING gin (sn gin_trgm_ops);
CREATE INDEX meter_system_title ON public.meter USING btree (system_title) WHERE (system_title IS NOT NULL);
CREATE INDEX meter_transformer ON public.meter USING btree (transformer_id, sn);

create table meter_exchange (
  id bigint not null generated as identity,
  at timestamp with time zone not null,
  old_meter_id bigint,
  new_meter_id bigint,
  transformer_id bigint,
  dcu_id bigint,
  customer_no text,
  note text,
  user_id bigint,
  created_at timestamp with time zone not null default now(),
  final_registers numeric(14,4)[],
  initial_registers numeric(14,4)[],
  constraint meter_exchange_final_registers_check CHECK ((cardinality(final_registers) = 10)),
  constraint meter_exchange_initial_registers_check CHECK ((cardinality(initial_registers) = 10)),
  constraint meter_exchange_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE SET NULL,
  constraint meter_exchange_new_meter_id_fkey FOREIGN KEY (new_meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint meter_exchange_old_meter_id_fkey FOREIGN KEY (old_meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint meter_exchange_transformer_id_fkey FOREIGN KEY (transformer_id) REFERENCES transformer(id) ON DELETE SET NULL,
  constraint meter_exchange_pkey PRIMARY KEY (id)
);
CREATE INDEX meter_exchange_customer ON public.meter_exchange USING btree (customer_no, at DESC) WHERE (customer_no IS NOT NULL);
CREATE INDEX meter_exchange_new ON public.meter_exchange USING btree (new_meter_id, at DESC);
CREATE INDEX meter_exchange_old ON public.meter_exchange USING btree (old_meter_id, at DESC);

create table meter_exchange_photo (
  exchange_id bigint not null,
  media_type text not null,
  octets bytea not null,
  taken_by bigint not null,
  created_at timestamp with time zone not null,
  constraint meter_exchange_photo_media_type_check CHECK ((media_type = ANY (ARRAY['image/jpeg'::text, 'image/png'::text, 'image/webp'::text]))),
  constraint meter_exchange_photo_octets_check CHECK (((octet_length(octets) >= 1) AND (octet_length(octets) <= 2097152))),
  constraint meter_exchange_photo_exchange_id_fkey FOREIGN KEY (exchange_id) REFERENCES meter_exchange(id) ON DELETE CASCADE,
  constraint meter_exchange_photo_pkey PRIMARY KEY (exchange_id)
);

create table meter_key_transfer (
  meter_id bigint not null,
  sn text not null,
  ek_secret bytea not null,
  ak_secret bytea not null,
  task_id bigint not null,
  sent_at timestamp with time zone not null default now(),
  constraint meter_key_transfer_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint meter_key_transfer_pkey PRIMARY KEY (meter_id)
);

create table meter_latest (
  meter_id bigint not null,
  freeze_date date,
  e_plus numeric(14,4),
  e_minus numeric(14,4),
  lpa_at timestamp with time zone,
  p_avg_plus_w integer,
  u1_mv integer,
  values jsonb not null default '{}'::jsonb,
  updated_at timestamp with time zone not null default now(),
  constraint meter_latest_pkey PRIMARY KEY (meter_id)
);

create table meter_limit (
  meter_id bigint not null,
  upper_kwh numeric(16,4),
  lower_kwh numeric(16,4),
  version integer not null default 1,
  changed_at timestamp with time zone not null,
  constraint meter_limit_check CHECK ((lower_kwh < upper_kwh)),
  constraint meter_limit_lower_kwh_check CHECK ((lower_kwh >= (0)::numeric)),
  constraint meter_limit_upper_kwh_check CHECK ((upper_kwh > (0)::numeric)),
  constraint meter_limit_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint meter_limit_pkey PRIMARY KEY (meter_id)
);
CREATE INDEX meter_limit_changed ON public.meter_limit USING btree (changed_at);

create table meter_memory (
  id bigint not null generated as identity,
  told json not null,
  digest bytea not null,
  learnt_at timestamp with time zone not null default now(),
  constraint meter_memory_pkey PRIMARY KEY (id),
  constraint meter_memory_digest_key UNIQUE (digest)
);

create table meter_type (
  id bigint not null generated as identity,
  code text not null,
  name text not null,
  supplier_id bigint not null,
  phase text not null,
  accuracy text,
  voltage text,
  current text,
  has_relay boolean not null default true,
  client_sap integer not null default 1,
  server_sap integer not null default 1,
  authentication_type text not null default 'hls_gmac'::text,
  security_suite integer not null default 0,
  lpa_period_s integer not null default 900,
  lpb_period_s integer not null default 900,
  profile_id bigint not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  ct_metering boolean not null default false,
  communication_modes text[] not null default '{plc}'::text[],
  relay_mode integer not null default 4,
  addressing text not null default 'logical'::text,
  image_block_size integer,
  quirks text[] not null default '{}'::text[],
  builtin_key text,
  ciphering text not null default 'by_mechanism'::text,
  association text not null default 'negotiated'::text,
  key_agreement text not null default 'none'::text,
  general_signing boolean not null default false,
  heartbeat_s integer not null default 3600,
  apdu_size integer not null default 1024,
  allowed_addresses text[] not null default '{}'::text[],
  constraint meter_type_addressing_check CHECK ((addressing = ANY (ARRAY['logical'::text, 'short'::text]))),
  constraint meter_type_apdu_size_check CHECK (((apdu_size >= 128) AND (apdu_size <= 65535))),
  constraint meter_type_association_check CHECK ((association = ANY (ARRAY['negotiated'::text, 'pre_established'::text]))),
  constraint meter_type_authentication_type_check CHECK ((authentication_type = ANY (ARRAY['none'::text, 'low'::text, 'high'::text, 'hls_md5'::text, 'hls_sha1'::text, 'hls_gmac'::text, 'hls_sha256'::text, 'hls_ecdsa'::text]))),
  constraint meter_type_ciphering_check CHECK ((ciphering = ANY (ARRAY['by_mechanism'::text, 'always'::text, 'never'::text]))),
  constraint meter_type_client_sap_check CHECK (((client_sap >= 1) AND (client_sap <= 126))),
  constraint meter_type_communication_modes_check CHECK (((communication_modes <@ '{plc,rf,direct}'::text[]) AND (cardinality(communication_modes) > 0))),
  constraint meter_type_heartbeat_s_check CHECK (((heartbeat_s >= 30) AND (heartbeat_s <= 172800))),
  constraint meter_type_image_block_size_check CHECK (((image_block_size >= 64) AND (image_block_size <= 2048))),
  constraint meter_type_key_agreement_check CHECK ((key_agreement = ANY (ARRAY['none'::text, 'one_pass'::text, 'static'::text]))),
  constraint meter_type_phase_check CHECK ((phase = ANY (ARRAY['1p2w'::text, '3p3w'::text, '3p4w'::text]))),
  constraint meter_type_relay_mode_check CHECK (((relay_mode >= 0) AND (relay_mode <= 6))),
  constraint meter_type_security_suite_check CHECK (((security_suite >= 0) AND (security_suite <= 2))),
  constraint meter_type_server_sap_check CHECK (((server_sap >= 1) AND (server_sap <= 16383))),
  constraint meter_type_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES southbound_profile(id),
  constraint meter_type_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id),
  constraint meter_type_pkey PRIMARY KEY (id),
  constraint meter_type_builtin_key_key UNIQUE (builtin_key),
  constraint meter_type_code_key UNIQUE (code)
);
CREATE INDEX meter_type_supplier ON public.meter_type USING btree (supplier_id);
CREATE UNIQUE INDEX meter_type_name ON public.meter_type USING btree (lower(name));

create table module (
  id bigint not null generated as identity,
  parent_id bigint,
  name_en text not null,
  name_zh text not null,
  path text not null,
  icon text not null,
  type text not null,
  sort integer not null default 0,
  visible boolean not null default true,
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint module_type_check CHECK ((type = ANY (ARRAY['group'::text, 'page'::text]))),
  constraint module_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES module(id),
  constraint module_pkey PRIMARY KEY (id),
  constraint module_path_key UNIQUE (path)
);
CREATE INDEX module_parent ON public.module USING btree (parent_id, sort);

create table network_level (
  id bigint not null generated as identity,
  parent_id bigint,
  name text not null,
  code text not null,
  type text not null,
  sort integer not null default 0,
  path bigint[] not null,
  longitude numeric(9,6),
  latitude numeric(8,6),
  note text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint network_level_latitude_check CHECK (((latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric))),
  constraint network_level_longitude_check CHECK (((longitude >= ('-180'::integer)::numeric) AND (longitude <= (180)::numeric))),
  constraint network_level_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint network_level_type_check CHECK ((type = ANY (ARRAY['company'::text, 'region'::text, 'district'::text, 'substation'::text, 'feeder'::text, 'other'::text]))),
  constraint network_level_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES network_level(id),
  constraint network_level_pkey PRIMARY KEY (id),
  constraint network_level_code_key UNIQUE (code)
);
CREATE INDEX network_level_parent ON public.network_level USING btree (parent_id, sort);
CREATE INDEX network_level_path ON public.network_level USING gin (path);
CREATE UNIQUE INDEX network_level_name ON public.network_level USING btree (COALESCE(parent_id, (0)::bigint), lower(name));

create table node (
  id bigint not null generated as identity,
  started_at timestamp with time zone not null default now(),
  alive_at timestamp with time zone not null default now(),
  name text not null default ''::text,
  version text not null default ''::text,
  owner text,
  ended_at timestamp with time zone,
  draining_at timestamp with time zone,
  drained_at timestamp with time zone,
  roles text[] not null default '{web,field,analysis}'::text[],
  schema integer not null default 125,
  trace_share double precision,
  constraint head_end_run_check CHECK ((alive_at >= started_at)),
  constraint head_end_run_pkey PRIMARY KEY (id)
);
CREATE INDEX node_alive ON public.node USING btree (alive_at);
CREATE INDEX node_open ON public.node USING btree (id) WHERE (ended_at IS NULL);

create table node_event (
  id bigint not null generated as identity,
  at timestamp with time zone not null default now(),
  node_id bigint not null,
  node_name text not null,
  kind text not null,
  devices integer not null default 0,
  user_id bigint,
  constraint node_event_kind_check CHECK ((kind = ANY (ARRAY['born'::text, 'stopped'::text, 'died'::text, 'drain_began'::text, 'drained'::text, 'resumed'::text]))),
  constraint node_event_pkey PRIMARY KEY (id)
);
CREATE INDEX node_event_at ON public.node_event USING btree (at);

create table obis_code (
  id bigint not null generated as identity,
  key text not null,
  obis text not null,
  class_id integer not null,
  attribute integer not null,
  kind text not null default 'attribute'::text,
  name_en text not null,
  name_zh text not null,
  unit integer not null default 255,
  precision integer not null default 3,
  category text not null,
  enabled boolean not null default true,
  sort integer not null default 0,
  data_type text,
  scaler integer,
  access text[] not null default '{r}'::text[],
  decoder text not null default 'plain'::text,
  enum_map jsonb,
  is_builtin boolean not null default false,
  version integer not null default 1,
  updated_at timestamp with time zone not null default now(),
  constraint obis_code_access_check CHECK ((access <@ '{r,w,x}'::text[])),
  constraint obis_code_category_check CHECK ((category = ANY (ARRAY['energy'::text, 'power'::text, 'demand'::text, 'voltage'::text, 'current'::text, 'quality'::text, 'clock'::text, 'identity'::text, 'status'::text, 'profile'::text, 'event'::text, 'parameter'::text, 'control'::text, 'dcu'::text]))),
  constraint obis_code_decoder_check CHECK ((decoder = ANY (ARRAY['plain'::text, 'bit_map'::text, 'enum'::text, 'date_time'::text, 'octet_ascii'::text, 'octet_hex'::text]))),
  constraint obis_code_kind_check CHECK ((kind = ANY (ARRAY['attribute'::text, 'method'::text]))),
  constraint obis_code_scaler_check CHECK (((scaler >= '-10'::integer) AND (scaler <= 10))),
  constraint obis_code_pkey PRIMARY KEY (id),
  constraint obis_code_key_key UNIQUE (key),
  constraint obis_code_obis_class_id_attribute_kind_key UNIQUE (obis, class_id, attribute, kind)
);

create table outbox (
  id bigint not null generated as identity,
  xid xid8 not null default pg_current_xact_id(),
  at timestamp with time zone not null default now(),
  kind text not null,
  subject text,
  ids bigint[] not null,
  days integer[],
  firsts integer[],
  lasts integer[],
  lefts bigint[],
  constraint outbox_kind_check CHECK ((kind = ANY (ARRAY['readings'::text, 'events'::text, 'commands'::text, 'assets'::text]))),
  constraint outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_by_kind ON public.outbox USING btree (kind, id);
CREATE INDEX outbox_by_transaction ON public.outbox USING btree (kind, xid);

create table outbox_kind (
  kind text not null,
  epoch integer not null default 0,
  began_at timestamp with time zone not null default now(),
  cleared_before timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint outbox_kind_pkey PRIMARY KEY (kind)
);

create table outbox_reader (
  kind text not null,
  reader text not null,
  asked_at timestamp with time zone not null default now(),
  constraint outbox_reader_kind_fkey FOREIGN KEY (kind) REFERENCES outbox_kind(kind),
  constraint outbox_reader_pkey PRIMARY KEY (kind, reader)
);

create table phase_result (
  meter_id bigint not null,
  transformer_id bigint not null,
  module_phase text,
  module_at timestamp with time zone,
  master_correlations real[],
  master_samples integer not null default 0,
  master_phase text,
  master_support real,
  neighbour_correlations real[],
  neighbour_meters integer not null default 0,
  neighbour_phase text,
  neighbour_support real,
  final_phase text,
  confidence real,
  computed_at timestamp with time zone not null,
  accepted_by bigint,
  accepted_at timestamp with time zone,
  written_at timestamp with time zone,
  constraint phase_result_final_phase_check CHECK ((final_phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text, 'abc'::text]))),
  constraint phase_result_master_phase_check CHECK ((master_phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text]))),
  constraint phase_result_module_phase_check CHECK ((module_phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text]))),
  constraint phase_result_neighbour_phase_check CHECK ((neighbour_phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text]))),
  constraint phase_result_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint phase_result_transformer_id_fkey FOREIGN KEY (transformer_id) REFERENCES transformer(id) ON DELETE CASCADE,
  constraint phase_result_pkey PRIMARY KEY (meter_id)
);
CREATE INDEX phase_result_transformer ON public.phase_result USING btree (transformer_id);

create table plan_run (
  id bigint not null generated as identity,
  plan_id bigint not null,
  at timestamp with time zone not null default now(),
  trigger text not null,
  state text not null,
  reason text,
  task_id bigint,
  queued integer not null default 0,
  still_waiting integer not null default 0,
  constraint plan_run_reason_check CHECK ((reason = ANY (ARRAY['still_running'::text, 'no_targets'::text]))),
  constraint plan_run_state_check CHECK ((state = ANY (ARRAY['started'::text, 'skipped'::text]))),
  constraint plan_run_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'user'::text]))),
  constraint plan_run_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES collect_plan(id) ON DELETE CASCADE,
  constraint plan_run_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE SET NULL,
  constraint plan_run_pkey PRIMARY KEY (id)
);
CREATE INDEX plan_run_at ON public.plan_run USING btree (at);
CREATE INDEX plan_run_plan ON public.plan_run USING btree (plan_id, at DESC);
CREATE INDEX plan_run_task ON public.plan_run USING btree (task_id);

create table plc_module (
  mac text not null,
  dcu_id bigint not null,
  role text not null,
  chip_id text not null,
  vendor text not null,
  hw_version text not null,
  sw_version text not null,
  boots bigint not null,
  uptime_s bigint not null,
  read_at timestamp with time zone not null,
  replaced_at timestamp with time zone,
  replaced_by bigint,
  raw jsonb not null,
  constraint plc_module_role_check CHECK ((role = ANY (ARRAY['cco'::text, 'pco'::text, 'sta'::text]))),
  constraint plc_module_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint plc_module_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint plc_module_pkey PRIMARY KEY (mac)
);
CREATE INDEX plc_module_dcu ON public.plc_module USING btree (dcu_id);

create table program_token (
  id bigint not null generated as identity,
  user_id bigint not null,
  name text not null,
  hash bytea not null,
  address_ranges text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  created_by bigint,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_ip text,
  constraint program_token_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint program_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint program_token_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX program_token_name ON public.program_token USING btree (user_id, lower(name));

create table push_receipt (
  dedup_hash bytea not null,
  dcu_id bigint not null,
  meter_id bigint,
  received_at timestamp with time zone not null default now(),
  constraint push_receipt_pkey PRIMARY KEY (dedup_hash)
);
CREATE INDEX push_receipt_age ON public.push_receipt USING btree (received_at);

create table reading_correction (
  id bigint not null generated as identity,
  meter_id bigint not null,
  profile text not null,
  ts timestamp with time zone not null,
  channel text not null,
  former numeric not null,
  value numeric not null,
  former_read_at timestamp with time zone not null,
  former_source text not null,
  former_trace_id uuid,
  source text not null,
  trace_id uuid,
  task_id bigint,
  replaced_at timestamp with time zone not null default now(),
  constraint reading_correction_former_source_check CHECK ((former_source = ANY (ARRAY['cache'::text, 'meter'::text, 'push'::text, 'manual'::text, 'estimated'::text]))),
  constraint reading_correction_profile_check CHECK ((profile = ANY (ARRAY['energy'::text, 'lpa'::text, 'lpb'::text, 'daily'::text]))),
  constraint reading_correction_source_check CHECK ((source = ANY (ARRAY['cache'::text, 'meter'::text, 'push'::text, 'manual'::text, 'estimated'::text]))),
  constraint reading_correction_pkey PRIMARY KEY (id)
);
CREATE INDEX reading_correction_of ON public.reading_correction USING btree (meter_id, profile, ts);
CREATE INDEX reading_correction_ts ON public.reading_correction USING btree (ts);

create table reading_daily (
  meter_id bigint not null,
  freeze_date date not null,
  read_at timestamp with time zone not null,
  source text not null,
  quality text not null,
  e_plus numeric(14,4),
  e_minus numeric(14,4),
  e_plus_t1 numeric(14,4),
  e_plus_t2 numeric(14,4),
  e_plus_t3 numeric(14,4),
  e_plus_t4 numeric(14,4),
  e_minus_t1 numeric(14,4),
  e_minus_t2 numeric(14,4),
  e_minus_t3 numeric(14,4),
  e_minus_t4 numeric(14,4),
  status_word bigint,
  device_time text,
  trace_id uuid,
  constraint reading_daily_quality_check CHECK ((quality = ANY (ARRAY['read'::text, 'refilled'::text, 'estimated'::text, 'manual'::text, 'invalid'::text]))),
  constraint reading_daily_source_check CHECK ((source = ANY (ARRAY['cache'::text, 'meter'::text, 'push'::text, 'manual'::text, 'estimated'::text]))),
  constraint reading_daily_pkey PRIMARY KEY (meter_id, freeze_date)
) partition by RANGE (freeze_date);
CREATE INDEX reading_daily_read_at ON ONLY public.reading_daily USING brin (read_at);

create table reading_gap (
  id bigint not null generated as identity,
  meter_id bigint not null,
  profile text not null,
  day date not null,
  missing integer not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  reason_code text,
  attempts integer not null default 0,
  next_try_at timestamp with time zone not null,
  state text not null default 'open'::text,
  note text,
  found_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  tried_at timestamp with time zone,
  constraint reading_gap_missing_check CHECK ((missing >= 0)),
  constraint reading_gap_profile_check CHECK ((profile = ANY (ARRAY['daily'::text, 'monthly'::text, 'energy'::text, 'lpa'::text, 'lpb'::text]))),
  constraint reading_gap_state_check CHECK ((state = ANY (ARRAY['open'::text, 'filled'::text, 'lost'::text, 'no_data'::text]))),
  constraint reading_gap_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint reading_gap_pkey PRIMARY KEY (id),
  constraint reading_gap_meter_id_profile_day_key UNIQUE (meter_id, profile, day)
);
CREATE INDEX reading_gap_day ON public.reading_gap USING btree (profile, day, state);
CREATE INDEX reading_gap_due ON public.reading_gap USING btree (next_try_at) WHERE (state = 'open'::text);

create table reading_instant (
  meter_id bigint not null,
  at timestamp with time zone not null,
  values jsonb not null,
  task_item_id bigint,
  constraint reading_instant_pkey PRIMARY KEY (meter_id, at)
);

create table reading_profile (
  meter_id bigint not null,
  profile text not null,
  day date not null,
  period_s integer not null,
  present integer not null,
  status integer[] not null,
  e_plus_wh bigint[],
  e_minus_wh bigint[],
  p_avg_plus_w integer[],
  p_avg_minus_w integer[],
  s_avg_plus_va integer[],
  s_avg_minus_va integer[],
  u1_mv integer[],
  u2_mv integer[],
  u3_mv integer[],
  i1_ma integer[],
  i2_ma integer[],
  i3_ma integer[],
  i0_ma integer[],
  pf_milli integer[],
  read_at timestamp with time zone not null,
  source text not null,
  trace_id uuid,
  lead_s integer not null default 0,
  pf1_milli integer[],
  pf2_milli integer[],
  pf3_milli integer[],
  frequency_mhz integer[],
  constraint reading_profile_profile_check CHECK ((profile = ANY (ARRAY['energy'::text, 'lpa'::text, 'lpb'::text]))),
  constraint reading_profile_source_check CHECK ((source = ANY (ARRAY['cache'::text, 'meter'::text, 'push'::text, 'manual'::text, 'estimated'::text]))),
  constraint reading_profile_pkey PRIMARY KEY (meter_id, profile, day)
) partition by RANGE (day);

create table recovery_code (
  user_id bigint not null,
  hash bytea not null,
  constraint recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES second_factor(user_id) ON DELETE CASCADE,
  constraint recovery_code_pkey PRIMARY KEY (user_id, hash)
);

create table relay_command (
  id bigint not null generated as identity,
  task_id bigint not null,
  meter_id bigint not null,
  operation text not null,
  requested_by bigint not null,
  needs_approval boolean not null,
  state text not null default 'waiting'::text,
  reason_code text,
  power_before_w integer,
  power_after_w integer,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  trace_id uuid,
  seal bytea not null,
  meter_sn text,
  customer_no text,
  customer_name text,
  dcu_sn text,
  nonce uuid,
  valid_until timestamp with time zone,
  constraint relay_command_operation_check CHECK ((operation = ANY (ARRAY['disconnect'::text, 'connect'::text, 'arm'::text]))),
  constraint relay_command_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'done'::text, 'refused'::text, 'failed'::text, 'unknown'::text]))),
  constraint relay_command_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  constraint relay_command_pkey PRIMARY KEY (id),
  constraint relay_command_task_id_meter_id_key UNIQUE (task_id, meter_id)
);
CREATE INDEX relay_command_meter ON public.relay_command USING btree (meter_id, id DESC);
CREATE INDEX relay_command_recent ON public.relay_command USING btree (created_at DESC, id DESC);
CREATE INDEX relay_command_requested ON public.relay_command USING btree (requested_by, created_at) WHERE (NOT needs_approval);

create table relay_limit (
  id bigint not null generated as identity,
  max_meters_per_hour integer not null,
  max_kw_per_hour integer not null,
  alone_up_to integer not null,
  spread_s integer not null,
  effective_at timestamp with time zone not null default now(),
  changed_by bigint,
  created_at timestamp with time zone not null default now(),
  seal bytea,
  max_meters_per_day integer,
  alone_from_hour smallint,
  alone_to_hour smallint,
  needs_second boolean,
  constraint relay_limit_alone_from_hour_check CHECK (((alone_from_hour >= 0) AND (alone_from_hour <= 24))),
  constraint relay_limit_alone_to_hour_check CHECK (((alone_to_hour >= 0) AND (alone_to_hour <= 24))),
  constraint relay_limit_alone_up_to_check CHECK (((alone_up_to >= 0) AND (alone_up_to <= 10))),
  constraint relay_limit_max_kw_per_hour_check CHECK (((max_kw_per_hour >= 0) AND (max_kw_per_hour <= 300000))),
  constraint relay_limit_max_meters_per_day_check CHECK (((max_meters_per_day >= 0) AND (max_meters_per_day <= 100000))),
  constraint relay_limit_max_meters_per_hour_check CHECK (((max_meters_per_hour >= 0) AND (max_meters_per_hour <= 10000))),
  constraint relay_limit_spread_s_check CHECK (((spread_s >= 0) AND (spread_s <= 3600))),
  constraint relay_limit_pkey PRIMARY KEY (id)
);

create table relay_limit_word (
  limit_id bigint not null,
  given_by bigint not null,
  given_at timestamp with time zone not null default now(),
  seal bytea not null,
  constraint relay_limit_word_limit_id_fkey FOREIGN KEY (limit_id) REFERENCES relay_limit(id),
  constraint relay_limit_word_pkey PRIMARY KEY (limit_id)
);

create table relay_order (
  task_id bigint not null,
  request_id uuid not null,
  operation text not null,
  requested_by bigint not null,
  reason text not null,
  work_order text not null,
  needs_approval boolean not null,
  meters integer not null,
  power_w bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint relay_order_operation_check CHECK ((operation = ANY (ARRAY['disconnect'::text, 'connect'::text, 'arm'::text]))),
  constraint relay_order_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 256))),
  constraint relay_order_work_order_check CHECK (((char_length(work_order) >= 1) AND (char_length(work_order) <= 64))),
  constraint relay_order_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  constraint relay_order_pkey PRIMARY KEY (task_id),
  constraint relay_order_requested_by_request_id_key UNIQUE (requested_by, request_id)
);

create table relay_sent (
  command_id bigint not null,
  meter_id bigint not null,
  operation text not null,
  power_w integer not null,
  at timestamp with time zone not null default now(),
  sent_order bigint not null generated as identity,
  constraint relay_sent_pkey PRIMARY KEY (command_id)
);
CREATE INDEX relay_sent_at ON public.relay_sent USING btree (at);

create table relay_stop (
  id bigint not null generated as identity,
  reason text not null,
  stopped_by bigint not null,
  stopped_at timestamp with time zone not null default now(),
  released_by bigint,
  released_at timestamp with time zone,
  constraint relay_stop_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 256))),
  constraint relay_stop_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX relay_stop_open ON public.relay_stop USING btree ((true)) WHERE (released_at IS NULL);

create table right_seal (
  kind text not null,
  subject_id bigint not null,
  number bigint not null,
  digest bytea,
  seal bytea not null,
  constraint right_seal_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'role'::text]))),
  constraint right_seal_number_check CHECK ((number > 0)),
  constraint right_seal_pkey PRIMARY KEY (kind, subject_id)
);

create table role (
  id bigint not null generated as identity,
  code text not null,
  name text not null,
  description text,
  is_builtin boolean not null default false,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  sees_whole_network boolean not null default false,
  area_widened_at timestamp with time zone not null default '2000-01-01 00:00:00+00'::timestamp with time zone,
  area_widened_by bigint,
  constraint role_area_widened_by_fkey FOREIGN KEY (area_widened_by) REFERENCES app_user(id),
  constraint role_pkey PRIMARY KEY (id),
  constraint role_code_key UNIQUE (code)
);

create table role_action (
  role_id bigint not null,
  module_id bigint not null,
  action text not null,
  granted_at timestamp with time zone not null default now(),
  granted_by bigint,
  constraint role_action_action_check CHECK ((action = ANY (ARRAY['view'::text, 'add'::text, 'edit'::text, 'delete'::text, 'import'::text, 'export'::text, 'execute'::text, 'approve'::text, 'configure'::text]))),
  constraint role_action_granted_by_fkey FOREIGN KEY (granted_by) REFERENCES app_user(id),
  constraint role_action_module_id_fkey FOREIGN KEY (module_id) REFERENCES module(id) ON DELETE CASCADE,
  constraint role_action_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE,
  constraint role_action_pkey PRIMARY KEY (role_id, module_id, action)
);

create table role_module (
  role_id bigint not null,
  module_id bigint not null,
  constraint role_module_module_id_fkey FOREIGN KEY (module_id) REFERENCES module(id) ON DELETE CASCADE,
  constraint role_module_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE,
  constraint role_module_pkey PRIMARY KEY (role_id, module_id)
);

create table role_scope (
  role_id bigint not null,
  level_id bigint,
  transformer_id bigint,
  constraint role_scope_one_node CHECK ((num_nonnulls(level_id, transformer_id) = 1)),
  constraint role_scope_level_id_fkey FOREIGN KEY (level_id) REFERENCES network_level(id) ON DELETE CASCADE,
  constraint role_scope_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE,
  constraint role_scope_transformer_id_fkey FOREIGN KEY (transformer_id) REFERENCES transformer(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX role_scope_level ON public.role_scope USING btree (role_id, level_id) WHERE (level_id IS NOT NULL);
CREATE UNIQUE INDEX role_scope_transformer ON public.role_scope USING btree (role_id, transformer_id) WHERE (transformer_id IS NOT NULL);

create table schema_migration (
  number integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  phase text,
  needs integer,
  constraint schema_migration_phase_check CHECK ((phase = ANY (ARRAY['expand'::text, 'backfill'::text, 'contract'::text]))),
  constraint schema_migration_pkey PRIMARY KEY (number)
);

create table second_factor (
  user_id bigint not null,
  secret bytea not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_step integer not null default 0,
  constraint second_factor_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  constraint second_factor_pkey PRIMARY KEY (user_id)
);

create table security_key (
  id bigint not null generated as identity,
  user_id bigint not null,
  name text not null,
  rp_id text not null,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint security_key_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint security_key_rp_id_check CHECK (((char_length(rp_id) >= 1) AND (char_length(rp_id) <= 253))),
  constraint security_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  constraint security_key_pkey PRIMARY KEY (id),
  constraint security_key_credential_id_key UNIQUE (credential_id)
);
CREATE INDEX security_key_user ON public.security_key USING btree (user_id);

create table sender (
  id bigint not null generated as identity,
  name text not null,
  kind text not null,
  ref uuid not null,
  secret bytea not null,
  contents text[] not null,
  level_ids bigint[] not null default '{}'::bigint[],
  is_paused boolean not null default false,
  positions jsonb not null default '{}'::jsonb,
  step bigint not null default 0,
  attempts jsonb not null default '{}'::jsonb,
  failures integer not null default 0,
  next_try_at timestamp with time zone not null default now(),
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  failure_code text,
  failure_detail text,
  sent bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  settings jsonb not null,
  last_run_at timestamp with time zone not null default now(),
  constraint sender_contents_check CHECK ((cardinality(contents) > 0)),
  constraint sender_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 32))),
  constraint sender_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint sender_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX sender_name ON public.sender USING btree (lower(name));

create table sender_dead_letter (
  id bigint not null generated as identity,
  sender_id bigint not null,
  at timestamp with time zone not null default now(),
  message_id text not null,
  kind text not null,
  reason text not null,
  content jsonb not null,
  constraint sender_dead_letter_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES sender(id) ON DELETE CASCADE,
  constraint sender_dead_letter_pkey PRIMARY KEY (id)
);
CREATE INDEX sender_dead_letter_of ON public.sender_dead_letter USING btree (sender_id, id DESC);

create table setting (
  key text not null,
  value jsonb not null,
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  seal bytea,
  constraint setting_pkey PRIMARY KEY (key)
);

create table shared_limit (
  name text not null,
  key text not null,
  tokens double precision not null,
  filled_at timestamp with time zone not null,
  constraint shared_limit_pkey PRIMARY KEY (name, key)
);
CREATE INDEX shared_limit_filled ON public.shared_limit USING btree (filled_at);

create table southbound_profile (
  id bigint not null generated as identity,
  key text not null,
  name text not null,
  device_kind text not null,
  body jsonb not null,
  is_builtin boolean not null default false,
  created_at timestamp with time zone not null default now(),
  created_by bigint,
  object_order text[] not null default '{}'::text[],
  parts text[] not null default '{}'::text[],
  constraint southbound_profile_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint southbound_profile_pkey PRIMARY KEY (id),
  constraint southbound_profile_key_key UNIQUE (key)
);

create table spent_nonce (
  name bytea not null,
  ends_at timestamp with time zone not null,
  constraint spent_nonce_name_check CHECK ((octet_length(name) = 32)),
  constraint spent_nonce_pkey PRIMARY KEY (name)
);
CREATE INDEX spent_nonce_end ON public.spent_nonce USING btree (ends_at);

create table station_ping (
  task_id bigint not null,
  mac text not null,
  number integer not null,
  at timestamp with time zone not null,
  ms integer,
  reason_code text,
  constraint station_ping_pkey PRIMARY KEY (task_id, mac, number)
);

create table supplier (
  id bigint not null generated as identity,
  code text not null,
  name text not null,
  flag_id text,
  country text,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  contact text,
  address text,
  phone text,
  email text,
  note text,
  builtin_key text,
  constraint supplier_flag_id_check CHECK ((flag_id ~ '^[A-Z]{3}$'::text)),
  constraint supplier_pkey PRIMARY KEY (id),
  constraint supplier_builtin_key_key UNIQUE (builtin_key),
  constraint supplier_code_key UNIQUE (code)
);
CREATE UNIQUE INDEX supplier_flag ON public.supplier USING btree (flag_id) WHERE (flag_id IS NOT NULL);

create table tariff_price (
  valid_from date not null,
  direction text not null,
  tariff integer not null,
  name text not null,
  currency text not null,
  price numeric(12,6) not null,
  constraint tariff_price_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint tariff_price_direction_check CHECK ((direction = ANY (ARRAY['plus'::text, 'minus'::text]))),
  constraint tariff_price_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint tariff_price_price_check CHECK ((price >= (0)::numeric)),
  constraint tariff_price_tariff_check CHECK (((tariff >= 1) AND (tariff <= 4))),
  constraint tariff_price_pkey PRIMARY KEY (valid_from, direction, tariff)
);

create table task (
  id bigint not null generated as identity,
  kind text not null,
  source text not null,
  plan_id bigint,
  title text not null,
  params jsonb not null default '{}'::jsonb,
  reason text,
  state text not null default 'waiting'::text,
  total integer not null default 0,
  done integer not null default 0,
  ok integer not null default 0,
  failed integer not null default 0,
  priority integer not null default 5,
  created_by bigint,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone not null default (now() + '1 day'::interval),
  origin_id bigint,
  is_stopped boolean not null default false,
  waits_for_device boolean not null default true,
  is_loaded boolean not null default false,
  traceparent text,
  constraint task_priority_check CHECK (((priority >= 1) AND (priority <= 9))),
  constraint task_source_check CHECK ((source = ANY (ARRAY['user'::text, 'plan'::text, 'system'::text, 'api'::text]))),
  constraint task_state_check CHECK ((state = ANY (ARRAY['waiting_approval'::text, 'waiting'::text, 'running'::text, 'paused'::text, 'finished'::text, 'partly_failed'::text, 'failed'::text, 'cancelled'::text, 'expired'::text]))),
  constraint task_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES task(id) ON DELETE SET NULL,
  constraint task_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES collect_plan(id) ON DELETE SET NULL,
  constraint task_pkey PRIMARY KEY (id)
);
CREATE INDEX task_dcu_tasks ON public.task USING btree (plan_id, id) WHERE (kind = 'dcu_tasks'::text);
CREATE INDEX task_origin ON public.task USING btree (origin_id) WHERE (origin_id IS NOT NULL);
CREATE INDEX task_owner ON public.task USING btree (created_by, created_at DESC);
CREATE INDEX task_paused ON public.task USING btree (id) WHERE (state = 'paused'::text);
CREATE INDEX task_recent ON public.task USING btree (created_at DESC);
CREATE INDEX task_stopped ON public.task USING btree (id) WHERE (is_stopped AND (finished_at IS NULL));

create table task_claim (
  id bigint not null generated as identity,
  items bigint[] not null,
  constraint task_claim_pkey PRIMARY KEY (id)
);

create table task_item (
  id bigint not null generated as identity,
  task_id bigint not null,
  kind text not null,
  priority integer not null,
  device_kind text not null,
  dcu_id bigint not null,
  meter_id bigint,
  state text not null default 'waiting'::text,
  reason_code text,
  reason_text text,
  attempts integer not null default 0,
  not_before timestamp with time zone not null default now(),
  lease_owner text,
  lease_until timestamp with time zone,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  latency_ms integer,
  result jsonb,
  trace_id uuid,
  phase text not null default 
CASE
    WHEN (state = ANY (ARRAY['waiting'::text, 'reading'::text])) THEN 'open'::text
    ELSE state
END,
  meter_ids bigint[],
  details jsonb,
  constraint task_item_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint task_item_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'reading'::text, 'read_success'::text, 'read_fail'::text, 'cancelled'::text, 'expired'::text]))),
  constraint task_item_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  constraint task_item_pkey PRIMARY KEY (id)
);
CREATE INDEX task_item_meter ON public.task_item USING btree (meter_id, finished_at DESC);
CREATE INDEX task_item_open ON public.task_item USING btree (dcu_id, priority, not_before, id) WHERE (phase = 'open'::text);
CREATE INDEX task_item_relay ON public.task_item USING btree (id) WHERE ((phase = 'open'::text) AND (kind = ANY (ARRAY['relay_disconnect'::text, 'relay_connect'::text, 'relay_arm'::text])));
CREATE INDEX task_item_shared ON public.task_item USING btree (dcu_id, finished_at DESC) WHERE (meter_ids IS NOT NULL);
CREATE INDEX task_item_task ON public.task_item USING btree (task_id, phase, id);

create table topology_delta (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  at timestamp with time zone not null,
  mac text not null,
  sn text not null,
  change text not null,
  before text,
  after text,
  constraint topology_delta_change_check CHECK ((change = ANY (ARRAY['joined'::text, 'left'::text, 'parent'::text, 'level'::text, 'signal'::text]))),
  constraint topology_delta_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint topology_delta_pkey PRIMARY KEY (id)
);
CREATE INDEX topology_delta_dcu ON public.topology_delta USING btree (dcu_id, at);
CREATE INDEX topology_delta_node ON public.topology_delta USING btree (dcu_id, mac, at);

create table topology_node (
  dcu_id bigint not null,
  mac text not null,
  node_id integer not null,
  sn text not null,
  parent_mac text,
  level integer not null,
  role text not null,
  phase text not null,
  link text not null,
  signal_value integer,
  up_pct integer,
  down_pct integer,
  online_since timestamp with time zone,
  last_seen_at timestamp with time zone not null,
  is_online boolean not null,
  constraint topology_node_link_check CHECK ((link = ANY (ARRAY['plc'::text, 'rf'::text]))),
  constraint topology_node_phase_check CHECK ((phase = ANY (ARRAY['a'::text, 'b'::text, 'c'::text, 'abc'::text, 'unknown'::text]))),
  constraint topology_node_role_check CHECK ((role = ANY (ARRAY['cco'::text, 'pco'::text, 'sta'::text]))),
  constraint topology_node_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint topology_node_pkey PRIMARY KEY (dcu_id, mac)
);
CREATE INDEX topology_node_sn ON public.topology_node USING btree (sn);

create table topology_setting (
  dcu_id bigint not null,
  capture boolean not null default true,
  poll_min integer not null default 60,
  depth_days integer not null default 7,
  updated_at timestamp with time zone not null default now(),
  updated_by bigint,
  constraint topology_setting_depth_days_check CHECK (((depth_days >= 1) AND (depth_days <= 31))),
  constraint topology_setting_poll_min_check CHECK (((poll_min >= 5) AND (poll_min <= 1440))),
  constraint topology_setting_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint topology_setting_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint topology_setting_pkey PRIMARY KEY (dcu_id)
);

create table topology_snapshot (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  taken_at timestamp with time zone not null,
  node_count integer not null,
  avg_level real not null,
  max_level integer not null,
  success_pct real,
  changes integer not null,
  task_id bigint,
  nodes bytea not null,
  constraint topology_snapshot_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint topology_snapshot_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX topology_snapshot_dcu ON public.topology_snapshot USING btree (dcu_id, taken_at DESC);

create table topology_switch (
  id bigint not null generated as identity,
  dcu_id bigint not null,
  task_id bigint not null,
  operation text not null,
  state text not null default 'sent'::text,
  reason text not null,
  reason_code text,
  before jsonb,
  after jsonb,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  started_by bigint,
  constraint topology_switch_operation_check CHECK ((operation = ANY (ARRAY['report_on'::text, 'report_off'::text, 'mode_dual'::text, 'mode_plc'::text, 'mode_rf'::text, 'rebuild'::text, 'restart_route_module'::text]))),
  constraint topology_switch_state_check CHECK ((state = ANY (ARRAY['sent'::text, 'rebuilding'::text, 'settled'::text, 'failed'::text]))),
  constraint topology_switch_dcu_id_fkey FOREIGN KEY (dcu_id) REFERENCES endpoint(id) ON DELETE CASCADE,
  constraint topology_switch_started_by_fkey FOREIGN KEY (started_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint topology_switch_pkey PRIMARY KEY (id)
);
CREATE INDEX topology_switch_at ON public.topology_switch USING btree (started_at DESC);
CREATE INDEX topology_switch_task ON public.topology_switch USING btree (task_id);
CREATE UNIQUE INDEX topology_switch_live ON public.topology_switch USING btree (dcu_id) WHERE (state = ANY (ARRAY['sent'::text, 'rebuilding'::text]));

create table trace (
  id uuid not null,
  at timestamp with time zone not null default now(),
  dcu_id bigint,
  meter_id bigint,
  session_id bigint,
  frames bytea not null,
  bytes integer not null,
  duration_ms integer not null,
  constraint trace_pkey PRIMARY KEY (id, at)
) partition by RANGE (at);

create table transformer (
  id bigint not null generated as identity,
  code text not null,
  name text not null,
  address text,
  longitude numeric(9,6),
  latitude numeric(8,6),
  level_id bigint not null,
  capacity_kva numeric(10,2),
  ct_ratio numeric(10,4) not null default 1,
  pt_ratio numeric(10,4) not null default 1,
  master_meter_id bigint,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 1,
  public_private text not null default 'public'::text,
  note text,
  constraint transformer_ct_ratio_check CHECK ((ct_ratio > (0)::numeric)),
  constraint transformer_latitude_check CHECK (((latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric))),
  constraint transformer_longitude_check CHECK (((longitude >= ('-180'::integer)::numeric) AND (longitude <= (180)::numeric))),
  constraint transformer_pt_ratio_check CHECK ((pt_ratio > (0)::numeric)),
  constraint transformer_public_private_check CHECK ((public_private = ANY (ARRAY['public'::text, 'private'::text]))),
  constraint transformer_level_id_fkey FOREIGN KEY (level_id) REFERENCES network_level(id),
  constraint transformer_master_meter_id_fkey FOREIGN KEY (master_meter_id) REFERENCES meter(id),
  constraint transformer_pkey PRIMARY KEY (id),
  constraint transformer_code_key UNIQUE (code)
);
CREATE INDEX transformer_level ON public.transformer USING btree (level_id);
CREATE INDEX transformer_master ON public.transformer USING btree (master_meter_id) WHERE (master_meter_id IS NOT NULL);
CREATE INDEX transformer_position ON public.transformer USING btree (longitude, latitude) WHERE (longitude IS NOT NULL);
CREATE UNIQUE INDEX transformer_name ON public.transformer USING btree (level_id, lower(name));

create table turn (
  name text not null,
  node_id bigint not null,
  taken_at timestamp with time zone not null default now(),
  constraint turn_pkey PRIMARY KEY (name)
);

create table undefined_answer (
  meter_type_id bigint not null,
  class_id integer not null,
  obis text not null,
  attribute integer not null,
  meter_id bigint not null,
  answered_at timestamp with time zone not null default now(),
  trace_id uuid,
  constraint undefined_answer_meter_id_fkey FOREIGN KEY (meter_id) REFERENCES meter(id) ON DELETE CASCADE,
  constraint undefined_answer_meter_type_id_fkey FOREIGN KEY (meter_type_id) REFERENCES meter_type(id) ON DELETE CASCADE,
  constraint undefined_answer_pkey PRIMARY KEY (meter_type_id, class_id, obis, attribute, meter_id)
);
CREATE INDEX undefined_answer_meter ON public.undefined_answer USING btree (meter_id);

create table unknown_sign_in (
  name_hash bytea not null,
  failed_count integer not null default 0,
  failed_since timestamp with time zone,
  constraint unknown_sign_in_name_hash_check CHECK ((octet_length(name_hash) = 32)),
  constraint unknown_sign_in_pkey PRIMARY KEY (name_hash)
);
CREATE INDEX unknown_sign_in_since ON public.unknown_sign_in USING btree (failed_since NULLS FIRST);

create table upgrade_broadcast (
  id bigint not null generated as identity,
  job_id bigint not null,
  ring integer not null,
  dcu_id bigint not null,
  state text not null default 'gathering'::text,
  item_id bigint,
  meters integer not null default 0,
  block_size integer,
  blocks_total integer,
  blocks_done integer not null default 0,
  octets_sent bigint not null default 0,
  stumbles integer not null default 0,
  released_at timestamp with time zone,
  reason_code text,
  changed_at timestamp with time zone not null default now(),
  constraint upgrade_broadcast_state_check CHECK ((state = ANY (ARRAY['gathering'::text, 'loading'::text, 'sending'::text, 'done'::text, 'failed'::text]))),
  constraint upgrade_broadcast_job_id_fkey FOREIGN KEY (job_id) REFERENCES upgrade_job(id),
  constraint upgrade_broadcast_pkey PRIMARY KEY (id),
  constraint upgrade_broadcast_job_id_ring_dcu_id_key UNIQUE (job_id, ring, dcu_id)
);
CREATE INDEX upgrade_broadcast_item ON public.upgrade_broadcast USING btree (item_id);

create table upgrade_job (
  id bigint not null generated as identity,
  name text not null,
  reason text not null,
  firmware_id bigint not null,
  target_kind text not null,
  state text not null default 'running'::text,
  halt_cause text,
  halt_detail jsonb,
  forgiven_failures integer not null default 0,
  forgiven_silent integer not null default 0,
  read_drop_forgiven boolean not null default false,
  ring integer not null default 1,
  rings integer not null,
  ring_done_at timestamp with time zone,
  continue_by text not null,
  watch_minutes integer not null,
  window_from text,
  window_to text,
  concurrency integer not null,
  halt_rule jsonb not null,
  activate_at timestamp with time zone,
  task_id bigint,
  created_by bigint not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  per_dcu integer not null default 1,
  constraint upgrade_job_continue_by_check CHECK ((continue_by = ANY (ARRAY['itself'::text, 'hand'::text]))),
  constraint upgrade_job_halt_cause_check CHECK ((halt_cause = ANY (ARRAY['failures'::text, 'silence'::text, 'read_success'::text]))),
  constraint upgrade_job_per_dcu_check CHECK (((per_dcu >= 1) AND (per_dcu <= 20))),
  constraint upgrade_job_state_check CHECK ((state = ANY (ARRAY['running'::text, 'waiting_ring'::text, 'paused'::text, 'halted'::text, 'finished'::text, 'stopped'::text]))),
  constraint upgrade_job_firmware_id_fkey FOREIGN KEY (firmware_id) REFERENCES firmware(id),
  constraint upgrade_job_pkey PRIMARY KEY (id)
);
CREATE INDEX upgrade_job_firmware ON public.upgrade_job USING btree (firmware_id);
CREATE INDEX upgrade_job_open ON public.upgrade_job USING btree (id) WHERE (state <> ALL (ARRAY['finished'::text, 'stopped'::text]));

create table upgrade_log (
  id bigint not null generated as identity,
  record_id bigint not null,
  at timestamp with time zone not null default now(),
  from_status text,
  to_status text not null,
  text text,
  reason_code text,
  user_id bigint,
  constraint upgrade_log_record_id_fkey FOREIGN KEY (record_id) REFERENCES upgrade_record(id) ON DELETE CASCADE,
  constraint upgrade_log_pkey PRIMARY KEY (id)
);
CREATE INDEX upgrade_log_record ON public.upgrade_log USING btree (record_id, id);

create table upgrade_record (
  id bigint not null generated as identity,
  job_id bigint not null,
  target_kind text not null,
  device_kind text not null,
  device_id bigint not null,
  dcu_id bigint not null,
  ring integer not null,
  status text not null default 'idle'::text,
  failed_in text,
  old_version text,
  new_version text not null,
  check_result text,
  check_text text,
  process real not null default 0,
  block_size integer,
  blocks_total integer,
  blocks_done integer not null default 0,
  block_map text not null default ''::text,
  octets_sent bigint not null default 0,
  rate integer,
  attempts integer not null default 0,
  stumbles integer not null default 0,
  repairs integer not null default 0,
  is_anew boolean not null default false,
  is_stopping boolean not null default false,
  released_at timestamp with time zone,
  activated_at timestamp with time zone,
  item_id bigint,
  trace_id uuid,
  relay_before text,
  post_checks jsonb not null default '[]'::jsonb,
  reason_code text,
  reason_text text,
  changed_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  scheduled_at timestamp with time zone,
  constraint upgrade_record_check_result_check CHECK ((check_result = ANY (ARRAY['pass'::text, 'fail'::text, 'skipped'::text]))),
  constraint upgrade_record_device_kind_check CHECK ((device_kind = ANY (ARRAY['dcu'::text, 'meter'::text]))),
  constraint upgrade_record_status_check CHECK ((status = ANY (ARRAY['idle'::text, 'check_version'::text, 'download_file'::text, 'enable_translate'::text, 'set_block_size'::text, 'translate_init'::text, 'start_translate'::text, 'translating'::text, 'check_fail_block'::text, 'check_image'::text, 'activate_image'::text, 'no_need_complete'::text, 'send_upgrade_rt'::text, 'send_upgrade_sta'::text, 'wait_update'::text, 'updating'::text, 'update_success'::text, 'update_fail'::text, 'complete'::text, 'error'::text]))),
  constraint upgrade_record_job_id_fkey FOREIGN KEY (job_id) REFERENCES upgrade_job(id),
  constraint upgrade_record_pkey PRIMARY KEY (id)
);
CREATE INDEX upgrade_record_device ON public.upgrade_record USING btree (device_kind, device_id);
CREATE INDEX upgrade_record_item ON public.upgrade_record USING btree (item_id);
CREATE INDEX upgrade_record_job ON public.upgrade_record USING btree (job_id, status);
CREATE INDEX upgrade_record_recent ON public.upgrade_record USING btree (changed_at DESC);
CREATE UNIQUE INDEX upgrade_record_once ON public.upgrade_record USING btree (target_kind, device_kind, device_id) WHERE (status <> ALL (ARRAY['no_need_complete'::text, 'complete'::text, 'update_fail'::text, 'error'::text]));

create table user_preference (
  user_id bigint not null,
  key text not null,
  value jsonb not null,
  updated_at timestamp with time zone not null default now(),
  constraint user_preference_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 128))),
  constraint user_preference_value_check CHECK ((octet_length((value)::text) <= 16384)),
  constraint user_preference_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint user_preference_pkey PRIMARY KEY (user_id, key)
);

create table user_role (
  user_id bigint not null,
  role_id bigint not null,
  granted_at timestamp with time zone not null default now(),
  granted_by bigint,
  constraint user_role_granted_by_fkey FOREIGN KEY (granted_by) REFERENCES app_user(id),
  constraint user_role_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE,
  constraint user_role_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint user_role_pkey PRIMARY KEY (user_id, role_id)
);
CREATE INDEX user_role_role ON public.user_role USING btree (role_id);

create table user_session (
  id uuid not null,
  user_id bigint not null,
  refresh_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamp with time zone not null default now(),
  issued_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ip text,
  agent text,
  revoked_at timestamp with time zone,
  proved_at timestamp with time zone,
  failed_proofs integer not null default 0,
  seal bytea,
  provider_id bigint,
  provider_sid text,
  constraint user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint user_session_pkey PRIMARY KEY (id)
);
CREATE INDEX user_session_user ON public.user_session USING btree (user_id, issued_at DESC);
