-- Every change of data asks who subscribed to it: found by the event's name, however many apps there are.
create index apps_by_event on core.apps using gin (webhook_events) where webhook_url is not null;
