-- The carrier of the tenant is a parameter that only a superuser may set: free text, local to the transaction, without
-- another effect. A module's statement cannot change it, whatever it says.
reset role;
grant set on parameter backtrace_functions to {{gate_owner}};
set local role {{gate_owner}};

-- Names are qualified instead of `set search_path`, which costs more than the rest of the function.
create or replace function gate.enter(tenant text, secret text) returns void language plpgsql security definer as $$
begin
  if exists (
    select from gate.secret s
    where s.role operator(pg_catalog.=) session_user
      and s.hash operator(pg_catalog.=) pg_catalog.sha256(pg_catalog.convert_to(secret, 'UTF8'))
  ) then
    perform pg_catalog.set_config('backtrace_functions', tenant, true);
    return;
  end if;
  raise exception 'gate: refused' using errcode = '42501';
end $$;

create or replace function gate.tenant() returns text language plpgsql stable parallel safe security definer as $$
begin
  return nullif(pg_catalog.current_setting('backtrace_functions'), '');
end $$;

revoke all on function gate.enter(text, text), gate.tenant() from public;
reset role;
