#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Takes ssh's place for mpirun: runs the command here, but under the node's name and with the little that a login gives
# it. Usage: agent.sh [OPTION]... NODE COMMAND...
while [[ $1 == -* ]]; do
    shift
done
node=$1
shift
exec env -i PATH="$PATH" HOME="$HOME" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS="${OMP_NUM_THREADS:-}" \
    unshare --uts sh -c "hostname $node; $*"
