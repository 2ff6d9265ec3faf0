-- Counts of past minutes are removed across tenants, by the system role.
create policy every_tenant on core.request_counts to {{system_role}} using (true) with check (true);
