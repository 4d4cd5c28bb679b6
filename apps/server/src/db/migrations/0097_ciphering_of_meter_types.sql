-- why: meters of several makes cipher their services after a password (DSMR 2.2), and others do not after GMAC
alter table meter_type add column ciphering text not null default 'by_mechanism' check (ciphering in ('by_mechanism', 'always', 'never'));
