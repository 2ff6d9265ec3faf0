grant usage on schema module_host to {{role}};
grant execute on function module_host.schema_sizes(), module_host.is_at_work(integer, name) to {{role}};
