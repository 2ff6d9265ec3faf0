-- Test events that were asked for an app in the minute `minute` (minutes since 1970). Unlogged: a crash forgets a minute.
create unlogged table core.test_event_counts (
  app_id text collate "C" primary key,
  minute bigint not null,
  used integer not null
);
