-- The role of a tenant's transactions writes records of tenants. Which school a host name belongs to, what scopes and what
-- countries there are is not its to say, a school it may add and no more; what is kept of addresses, partners and processes
-- it does not see.
revoke insert, update, delete on core.tenant_hosts, core.scopes, core.countries, core.education_levels,
  core.shared_search_words from {{core_role}};
revoke update, delete on core.tenants from {{core_role}};
revoke all on core.address_counts, core.contact_submissions, core.endpoints, core.partner_notices, core.announced_catalogs,
  core.web_processes from {{core_role}};
-- What is written down to be looked at later is only added to.
revoke update, delete on core.access_log, core.erasure_certificates from {{core_role}};
-- A new table says itself what this role may do with it.
alter default privileges in schema core revoke all on tables from {{core_role}};
