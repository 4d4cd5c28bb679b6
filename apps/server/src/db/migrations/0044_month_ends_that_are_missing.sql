-- why: the end of a month is expected like the freeze of a day, and missing with a reason when it does not come.
alter table reading_gap drop constraint reading_gap_profile_check;
alter table reading_gap add constraint reading_gap_profile_check check (profile in ('daily', 'monthly', 'energy', 'lpa', 'lpb'));
