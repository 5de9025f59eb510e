#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A second reader: ViTE must open an archive without an error and draw every thread. Usage: test_vite.sh BUILD_DIR
# RUNTIMES_DIR; exit 77: no ViTE, or no runtime to test with.
set -euo pipefail

build=$(cd "$1" && pwd)
runtime=$2/19
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/tests/work/vite

for needed in vite clang-19; do
    command -v "$needed" >/dev/null || {
        echo "SKIPPED: no $needed"
        exit 77
    }
done
[[ -e $runtime/lib/libomp.so.5 ]] || {
    echo "SKIPPED: no runtime in $runtime"
    exit 77
}
rm -rf "$work"
mkdir -p "$work"
cd "$work"
clang-19 -g -O1 -fopenmp -isystem "$runtime/include" -L"$runtime/lib" "$here/../../examples/heat.c" -o heat
LD_LIBRARY_PATH=$runtime/lib OMP_NUM_THREADS=2 "$build/bin/omptape" -q -o out ./heat 50 >/dev/null
QT_QPA_PLATFORM=offscreen vite -e picture.svg out/trace.otf2 >said 2>&1 || {
    echo "FAILED: vite ends with $?: $(tail -n 5 said)"
    exit 1
}
# Its words on record types that it does not draw are its own; what it calls an error is not.
grep -q '^0 errors and 0 warnings were found' said || {
    echo "FAILED: vite says: $(grep -v 'not implemented' said | tail -n 5)"
    exit 1
}
[[ $(wc -c <picture.svg) -gt 10000 ]] || {
    echo "FAILED: the picture is empty"
    exit 1
}
rm -rf "$work"
