#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs into a folder of its own and uses only that: the command, the library preloaded, pkg-config, the CMake
# package, the manual page. Usage: test_install.sh BUILD_DIR RUNTIMES_DIR; exit 77: no runtime to test with.
set -euo pipefail

build=$(cd "$1" && pwd)
runtimes=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/tests/work/install
# From a folder with a blank or colon the loader preloads nothing: who builds there installs elsewhere.
if [[ $build == *[[:blank:]:]* ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

fail() {
    echo "FAILED: $*"
    exit 1
}

# archive ANCHOR: there, and in order.
archive() {
    [[ -e $1 ]] || fail "no $1"
    "$here/../run" checker.check "$build/bin/omptape" "$1" || fail "the archive $1"
}

for version in 19 14; do
    if [[ -e $runtimes/$version/lib/libomp.so.5 ]] && command -v "clang-$version" >/dev/null; then
        break
    fi
    version=
done
[[ -n $version ]] || {
    echo "SKIPPED: no clang with a runtime in $runtimes"
    exit 77
}
runtime=$runtimes/$version

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || fail "$(tail -n 5 "$work/install.log")"
prefix=$work/prefix
library=$(find "$prefix" -name libomptape.so)
[[ -n $library ]] || fail "no libomptape.so in $prefix"
for pattern in 'bin/omptape' 'libexec/*/omptape-writer' 'include/omptape.h' 'share/man/man1/omptape.1' \
    'share/man/man1/omptape-batch.1' 'share/man/man1/omptape-report.1' 'omptape.pc' 'omptapeConfig.cmake' 'bin/omptape-batch'; do
    [[ -n $(find "$prefix" -path "*/$pattern") ]] || fail "the installation lacks $pattern"
done

# Each page has all options of the program and no line that troff does not understand.
for program in omptape omptape-batch 'omptape report'; do
    name=${program/ /-}
    page=$(find "$prefix" -path "*/man1/$name.1")
    read -ra command <<<"$program"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS FILES EXAMPLES "SEE ALSO"; do
        grep -q "^\.SH $section" "$page" || fail "$program.1 has no $section"
    done
    for option in $("$prefix/bin/${command[0]}" "${command[@]:1}" --help | grep -oE '^ {2,6}(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        grep -qF -- "${option//-/\\-}" "$page" || fail "$program.1 lacks $option"
    done
    ! grep -n '@[A-Z_]*@' "$page" || fail "$program.1 is not complete"
    if command -v groff >/dev/null; then
        said=$(groff -man -Tascii -ww -z "$page" 2>&1)
        [[ -z $said ]] || fail "$program.1: $said"
    fi
done

# Moved elsewhere, everything must still find its parts.
mv "$prefix" "$work/moved"
library=${library/"$prefix"/"$work/moved"}
export LD_LIBRARY_PATH=$runtime/lib
cd "$work"
"clang-$version" -g -fopenmp -isystem "$runtime/include" -L"$runtime/lib" "$here/../programs/tasks_nested.c" -o program
"$work/moved/bin/omptape" -q -o launched ./program >/dev/null
archive launched/traces.otf2
SLURM_JOB_ID=1 SLURM_SUBMIT_DIR=$work "$work/moved/bin/omptape-batch" -o batch-%j ./program >/dev/null
archive batch-1/traces.otf2
OMPTAPE_QUIET=1 OMPTAPE_OUTPUT=preloaded LD_PRELOAD=$library ./program >/dev/null
archive preloaded/traces.otf2
mv "$work/moved" "$prefix"
library=${library/"$work/moved"/"$prefix"}

cat >user.c <<'END'
#include <omptape.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%s %d %d\n", omptape_version(), omptape_is_recording(), sum);
    return 0;
}
END
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH
# The .pc file names the prefix that was configured, so pkg-config is told the real one.
read -ra flags <<<"$(pkg-config --define-variable=includedir="$prefix/include" \
    --define-variable=libdir="$(dirname "$library")" --cflags --libs omptape)"
"clang-$version" -g -fopenmp -isystem "$runtime/include" -L"$runtime/lib" user.c "${flags[@]}" \
    -Wl,-rpath,"$(dirname "$library")" -o linked
said=$(OMPTAPE_QUIET=1 OMPTAPE_OUTPUT=linked.out ./linked)
[[ $said == "$(pkg-config --modversion omptape) 1 2" ]] || fail "the linked program says '$said'"
archive linked.out/traces.otf2

mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(omptape REQUIRED)
add_executable(user ../user.c)
target_link_libraries(user omptape::omptape)
END
{ cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" && cmake --build project/build; } >project.log 2>&1 || {
    fail "the CMake package: $(tail -n 5 project.log)"
}
project/build/user >/dev/null || fail "the program built by CMake does not run"

# Uninstalling takes what was installed and nothing else.
touch "$prefix/libexec/omptape/others"
cmake --build "$build" --target uninstall >uninstall.log || fail "$(tail -n 5 uninstall.log)"
left=$(cd "$prefix" && find . -not -type d)
[[ $left == ./libexec/omptape/others ]] || fail "uninstalled, there are: $left"
left=$(cd "$prefix" && find . -type d -name 'omptape*' -not -path ./libexec/omptape)
[[ -z $left ]] || fail "uninstalled, there are the folders $left"
if cmake --build "$build" --target uninstall >uninstall.log 2>&1; then
    fail "what is not installed was uninstalled"
fi

rm -rf "$work"
