-- The tenant gate's store. {{gate_owner}} cannot sign in and is no superuser: a flaw in a gate function gives little.
create schema if not exists gate authorization {{gate_owner}};
set local role {{gate_owner}};
create table if not exists gate.secret (role name primary key, hash bytea not null);
revoke all on gate.secret from public;
