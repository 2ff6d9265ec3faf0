-- Whether a session of a module's role is at work: it runs, and waits for nothing, such as a disk that stands still. Others
-- are nobody's business, and the view is closed to the host's own roles.
create or replace function module_host.is_at_work(process integer, runtime name) returns boolean language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
  select exists (select from pg_stat_activity s join module_host.modules m on m.runtime = s.usename
    where s.pid = process and s.usename = is_at_work.runtime and s.state = 'active' and s.wait_event is null)
$$;
revoke all on function module_host.is_at_work(integer, name) from public;
