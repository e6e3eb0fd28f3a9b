#!/bin/bash
# The same with GNU parallel, over ssh where hosts are named, here without:
#   ./parallel.sh sweep plan.json parts result.h5 7 [host …]
# Hosts share the folder, and let you in without a password. A task that was stopped is tried again.
set -euo pipefail
command=$1 plan=$2 parts=$3 result=$4 tasks=$5
hosts=()
for host in "${@:6}"; do hosts+=(--sshlogin "$host"); done

seq "$tasks" | parallel --quote --jobs "${HEADSCOPE_JOBS:-1}" --retries 10 --halt soon,fail=1 --workdir "$PWD" \
    "${hosts[@]}" headscope-cli "$command" run "$plan" --shard "{}/$tasks" -o "$parts"
headscope-cli "$command" merge "$plan" "$parts" -o "$result"
