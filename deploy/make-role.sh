#!/bin/sh
# Runs while a database is new: in the postgres container, or by Patroni, which passes an address. Foyer's own role owns its
# database and is no superuser, so that whoever takes over Foyer cannot read files or run programs on the database's machine.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$(cat "${FOYER_PASSWORD_FILE:-/run/secrets/postgres_password}")" \
  --dbname="${1:-user=postgres dbname=postgres}" <<'SQL'
create role foyer login password :'password' nosuperuser nocreatedb nocreaterole;
create database foyer owner foyer;
SQL
