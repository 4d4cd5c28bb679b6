-- why: meters capture the frequency in load profile B, and a disturbance of the network is dated by it
alter table reading_profile add column frequency_mhz int[];
