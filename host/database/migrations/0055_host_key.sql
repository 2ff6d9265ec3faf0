-- Which key what is sealed in this database was sealed with: one row, and no part of the key.
create table platform.host_key (fingerprint text not null);
