-- why: the work on a device belongs to the trace of the call that ordered it, although another node may do it
-- phase: expand
-- traceparent of W3C Trace Context; null where no traces are exported.
alter table task add column traceparent text;
