#!/bin/sh
# Runs in the postgres container while its volume is new. Foyer's own role owns its database and is no superuser, so that whoever
# takes over Foyer cannot read files or run programs on the database's machine.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/postgres_password)" --username=postgres --dbname=postgres <<'SQL'
create role foyer login password :'password' nosuperuser nocreatedb nocreaterole;
create database foyer owner foyer;
SQL
