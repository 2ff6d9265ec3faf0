-- The verdicts that a bundle's signature covers. A bundle without a signature is never given to a runner.
alter table core.app_bundles add column scan_verdict text, add column review_verdict text;
create index app_versions_by_app on core.app_versions (app_id, published_at);
