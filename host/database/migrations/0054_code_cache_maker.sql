-- Which engine and key a code cache is good for, so that the next release knows which ones to make again.
alter table core.app_bundles add column code_cache_maker text;
