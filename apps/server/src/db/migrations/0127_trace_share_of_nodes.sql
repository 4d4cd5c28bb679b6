-- why: the absence of a trace is explained with the share of the head-ends that held devices at the time, which may differ from that of the console
-- phase: expand
-- Percentage of routine collection whose frames are kept. A head-end of an earlier version, and one without devices, does not write it.
alter table node add column trace_share double precision;
