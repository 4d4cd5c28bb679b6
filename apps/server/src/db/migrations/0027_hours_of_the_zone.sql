-- why: an hour of a zone may begin between two of UTC, and a capture there belongs to its own hour.
-- Slot k of a row is the capture at day + lead_s + (k-1) × period_s.
alter table reading_profile add column lead_s int not null default 0;
