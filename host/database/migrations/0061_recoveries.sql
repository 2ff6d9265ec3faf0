-- Whose past deliveries are being sent again, some at a time. Until when nobody else begins: renewed while it goes on, and
-- over by itself where its host was killed.
create table core.recoveries (
  app_id text collate "C" primary key references core.apps on delete cascade,
  held_until timestamptz not null
);
