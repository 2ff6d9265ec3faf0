-- Columns that the live schema of an app's module has, or had and has no more: a version whose code names one that is gone is
-- not put back by a roll-back.
create table core.module_columns (
  app_id text collate "C" not null references core.apps (id) on delete cascade,
  table_name text collate "C" not null,
  column_name text collate "C" not null,
  gone boolean not null default false,
  primary key (app_id, table_name, column_name)
);
