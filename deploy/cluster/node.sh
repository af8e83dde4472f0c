#!/bin/sh
# Reads the passwords that Patroni wants in its environment, and becomes Patroni. It must start in the folder of make-role.sh.
set -eu
export PATRONI_SUPERUSER_PASSWORD="$(cat "$PATRONI_SUPERUSER_PASSWORD_FILE")"
export PATRONI_REPLICATION_PASSWORD="$(cat "$PATRONI_REPLICATION_PASSWORD_FILE")"
exec patroni "${1:-/etc/patroni/patroni.yaml}"
