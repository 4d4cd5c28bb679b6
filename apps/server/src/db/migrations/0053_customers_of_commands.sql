-- why: customers move and meters are replaced; the command log names the supply as it was when the command was ordered
alter table relay_command
  add column meter_sn text,
  add column customer_no text,
  add column customer_name text,
  add column dcu_sn text;
-- Of earlier commands only the present names are known.
update relay_command c set meter_sn = m.sn, customer_no = m.customer_no, customer_name = m.customer_name, dcu_sn = d.sn
from meter m left join dcu d on d.id = m.dcu_id where m.id = c.meter_id;
