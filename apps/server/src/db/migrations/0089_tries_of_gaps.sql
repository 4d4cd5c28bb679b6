-- why: a gap names the last attempt at its readings, whether it was a plan, a refill or an order, and when that ended.
-- Null: no attempt since the gap exists.
alter table reading_gap add column tried_at timestamptz;
