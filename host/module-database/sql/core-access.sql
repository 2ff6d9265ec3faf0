grant usage on schema module_host to {{role}};
grant execute on function module_host.schema_sizes() to {{role}};
