#!/bin/sh
# Writes the user list that pgbouncer.ini names, and becomes PgBouncer.
set -eu
umask 077
printf '"foyer" "%s"\n' "$(cat "$POSTGRES_PASSWORD_FILE")" > /run/pgbouncer/userlist.txt
exec pgbouncer /etc/pgbouncer/pgbouncer.ini
