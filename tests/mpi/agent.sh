#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Takes ssh's place for mpirun: runs the command here, but under the node's name and with the little that a login gives
# it. With NODES_APART nobody sees the node's processes, and it does not see others. With NODES_COUNTERS the second node's
# clocks but the wall clock are 100,000 s ahead, as if it had been up for so much longer, and its kernel does not trust
# the processor's counter. With NODES_SHARE the node sees that folder's own "NODE" as its "seen".
# Usage: agent.sh [OPTION]... NODE COMMAND...
while [[ $1 == -* ]]; do
    shift
done
node=$1
shift
apart=() own_memory='' wait_for_others=''
if [[ -n ${NODES_APART:-} ]]; then
    apart=(--pid --fork --mount-proc)
    # libomp keeps a file there by the process's number, which another node has as well.
    own_memory='mount -t tmpfs none /dev/shm;'
    # A node goes on when its ranks have ended, but a space of processes ends with its first one.
    # shellcheck disable=SC2016 # for the inner shell
    wait_for_others='status=$?
    set -- /proc/[0-9]*
    while [ $# -gt 1 ]; do
        sleep 0.02
        set -- /proc/[0-9]*
    done
    exit $status'
fi
counter=''
if [[ -n ${NODES_COUNTERS:-} && $node == node2 ]]; then
    apart+=(--mount --time --monotonic 100000 --boottime 100000 --fork)
    source=/sys/devices/system/clocksource/clocksource0/current_clocksource
    counter="mount --bind $NODES_COUNTERS $source;"
fi
share=''
if [[ -n ${NODES_SHARE:-} ]]; then
    apart+=(--mount)
    share="mount --bind '$NODES_SHARE/$node' '$NODES_SHARE/seen';"
fi
exec env -i PATH="$PATH" HOME="$HOME" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS="${OMP_NUM_THREADS:-}" \
    unshare --uts "${apart[@]}" sh -c "hostname $node; $own_memory $counter $share $*
$wait_for_others"
