-- When an app's webhook URL failed last: after a long silence a failure begins a new streak.
alter table core.endpoints add column last_failed_at timestamptz;
