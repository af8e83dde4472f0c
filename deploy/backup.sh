#!/bin/sh
# sh deploy/backup.sh FOLDER           writes one backup into FOLDER and keeps the newest BACKUP_KEEP (14)
# sh deploy/backup.sh --daily FOLDER   does so once a day, until it is stopped: cron in a container would need root
set -eu

daily=
if [ "${1:-}" = --daily ]; then
  daily=yes
  shift
fi
if [ $# -ne 1 ] || [ ! -d "$1" ]; then
  echo "usage: sh deploy/backup.sh [--daily] FOLDER (which must exist)" >&2
  exit 2
fi
keep=${BACKUP_KEEP:-14}
case $keep in
  '' | 0 | *[!0-9]*) echo "BACKUP_KEEP must be a whole number above 0." >&2 && exit 2 ;;
esac
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
# The project's own Node. The machine's may be too old.
node=node_modules/.bin/node
[ -x "$node" ] || node=node

# A failed backup removes nothing. gzip -t reads the file back.
back_up() {
  file=$folder/foyer-$(date -u +%Y%m%dT%H%M%SZ).jsonl.gz
  rm -f "$folder"/foyer-*.part
  "$node" server/cli/db.ts backup "$file" && gzip -t "$file" && remove_oldest
}

remove_oldest() {
  ls "$folder"/foyer-*.jsonl.gz | sort -r | tail -n "+$((keep + 1))" | while read -r old; do rm -- "$old"; done
}

# A restart within the day must not push older days out.
has_todays() {
  [ -n "$(find "$folder" -name 'foyer-*.jsonl.gz' -mmin -1435)" ]
}

if [ -z "$daily" ]; then
  back_up
  exit
fi
while :; do
  has_todays || back_up || echo "The backup failed. It is tried again in ten minutes." >&2
  sleep 600
done
