-- why: alarms of the head-end use the terms of the interface; event codes are seeded once, so existing installations keep the former names
update event_code set name_en = renamed.after
from (values
  (60001, 'Ceiling Of Relay Control Reached', 'Limit Of Relay Control Reached'),
  (60002, 'Relay Command Nobody Ordered', 'Relay Command Without Order'),
  (60003, 'Forged Ceiling Of Relay Control', 'Forged Limits Of Relay Control'),
  (60004, 'Looser Ceilings Of Relay Control Asked For', 'Higher Limits Of Relay Control Requested'),
  (60006, 'Push That Its Meter Did Not Prove', 'Unauthenticated Push'),
  (60007, 'Push In Blocks That Came Incomplete', 'Incomplete Push In Blocks'),
  (60030, 'Log Changed Or Cut In The Database', 'Log Altered Or Truncated In The Database')
) as renamed (code, before, after)
where event_code.code = renamed.code and event_code.name_en = renamed.before;
