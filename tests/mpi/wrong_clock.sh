#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The writer on a host whose wall clock is wrong (wallclock.c): what the library starts has no LD_PRELOAD any more.
LD_PRELOAD=${WALLCLOCK:?} exec "${WALLCLOCK_WRITER:?}" "$@"
