-- The version in the module's history of the migration that took a column away; null where nobody saw which one it was.
alter table core.module_columns add column taken_by text collate "C";
