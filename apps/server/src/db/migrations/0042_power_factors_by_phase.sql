-- why: load profile B has a power factor for each phase, and the one of all three does not tell which phase is at fault
alter table reading_profile add column pf1_milli int[], add column pf2_milli int[], add column pf3_milli int[];
