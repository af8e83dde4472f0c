#!/bin/sh
# sh deploy/make-secrets.sh: makes the secrets that compose.yaml mounts. Existing ones stay as they are.
# The folder is closed to others; the files are not, because each container reads them as its own user.
set -eu
umask 022
folder=$(cd "$(dirname "$0")" && pwd)/secrets
mkdir -p "$folder"
chmod 700 "$folder"

make() {
  [ -s "$folder/$1" ] || printf '%s' "$2" > "$folder/$1"
}
random() {
  head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'
}

make secret "$(random)"
make postgres_password "$(random)"
make postgres_superuser_password "$(random)"
make postgres_replication_password "$(random)"
make database_url "postgres://foyer:$(cat "$folder/postgres_password")@pooler:6432/foyer"
echo "The secrets are in $folder. Keep a copy of 'secret' in another place: without it, no backup can be used."
