grant usage on schema module_host to {{role}};
grant execute on function module_host.schema_sizes(), module_host.has_session(integer, name) to {{role}};
