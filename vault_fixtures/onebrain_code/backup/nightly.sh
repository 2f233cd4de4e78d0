#!/bin/sh
# Nightly restic run to the storage box; called by a systemd timer at 02:40.
set -eu

REPOSITORY="sftp:box:/backups/laptop"
KEEP_DAILY=7
KEEP_WEEKLY=4
KEEP_MONTHLY=12

take_snapshot() {
    restic -r "$REPOSITORY" backup "$HOME" --exclude-file "$HOME/.backup-exclude"
}

prune_old_snapshots() {
    restic -r "$REPOSITORY" forget --prune \
        --keep-daily "$KEEP_DAILY" --keep-weekly "$KEEP_WEEKLY" --keep-monthly "$KEEP_MONTHLY"
}

verify_random_part() {
    # 5% a night reads the whole repository about every three weeks
    restic -r "$REPOSITORY" check --read-data-subset=5%
}

take_snapshot
prune_old_snapshots
verify_random_part
