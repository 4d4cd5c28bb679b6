-- why: a network is switched between its media, too; `before` remembers which were in use, so that it can be undone.

alter table topology_switch drop constraint topology_switch_operation_check;
alter table topology_switch add constraint topology_switch_operation_check
  check (operation in ('report_on', 'report_off', 'mode_dual', 'mode_plc', 'mode_rf', 'rebuild', 'restart_route_module'));
