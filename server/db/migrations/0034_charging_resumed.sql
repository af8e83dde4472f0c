-- Members who could not be charged in time and have started a new month: staff are told for two weeks.
create index member_event_resumed on member_event (at) where what = 'charging_resumed';
