-- why: the seal of a command to a relay also covers a number of its own and the time after which it is worth nothing, so that a row which was
-- executed once cannot be put back into the queue. Commands of older versions have neither and are not executed any more.
alter table relay_command add column nonce uuid, add column valid_until timestamptz;
