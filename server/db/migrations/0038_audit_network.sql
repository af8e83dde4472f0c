-- Where an action of staff came from: a keyed hash, as in the security log. Empty for older rows, the command line and the server.
alter table audit add column network text;
