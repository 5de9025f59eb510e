#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# End-to-end tests of programs built by gcc that something else than omptape itself starts: a shell, make, an inner
# omptape, mpirun. They are begun anew on LLVM's runtime (src/tool/restart.c), and whatever cannot be runs as without.
# Usage: test_gomp.sh BUILD_DIR LIBOMP
set -u

build=$(cd "${1:?usage: test_gomp.sh BUILD_DIR LIBOMP}" && pwd)
libomp=${2:?usage: test_gomp.sh BUILD_DIR LIBOMP}
omptape=$build/bin/omptape
run_python=$(cd "$(dirname "$0")/.." && pwd)/run
if ! command -v gcc >/dev/null || [ ! -e "$libomp" ]; then
    echo "SKIPPED: there is no gcc, or no $libomp"
    exit 77
fi
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for variable in $(compgen -v OMPTAPE_); do unset "$variable"; done
unset LD_PRELOAD LD_LIBRARY_PATH OMP_TOOL OMP_TOOL_LIBRARIES
export OMPTAPE_LIBOMP=$libomp OMP_NUM_THREADS=2

fail() {
    echo "FAILED: $*" >&2
    sed 's/^/    stderr: /' err >&2
    failures=$((failures + 1))
}

# traced EXPECTED_CODE COMMAND...: omptape runs it; stdout in `out`, stderr in `err`.
traced() {
    local expected=$1 code
    shift
    rm -rf archive
    "$omptape" -o archive "$@" >out 2>err
    code=$?
    [ "$code" -eq "$expected" ] || fail "$* gave exit code $code, not $expected"
}

says() { grep -qF -- "$1" err || fail "stderr does not say: $1"; }
prints() { grep -qF -- "$1" out || fail "stdout does not say: $1"; }
# has PROCESSES: there is one archive in order, of that many processes.
has() {
    local found
    if [ ! -f archive/traces.otf2 ]; then
        fail "there is no archive"
        return
    fi
    "$run_python" checker.check "$omptape" archive/traces.otf2 >checked 2>&1 ||
        fail "the checker says: $(cat checked)"
    found=$(otf2-print -G archive/traces.otf2 | grep -c '^LOCATION_GROUP ')
    [ "$found" -eq "$1" ] || fail "the archive has $found processes, not $1"
}

cat >region.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    const char *preloaded = getenv("LD_PRELOAD");
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("sum %d, path %s%s\n", sum, getenv("LD_LIBRARY_PATH") ? getenv("LD_LIBRARY_PATH") : "unset",
           preloaded && strstr(preloaded, "libomp.so") ? ", LLVM's runtime for the children" : "");
    fflush(stdout);
    return argc > 1 ? system(argv[1]) : 8;
}
C
gcc -g -fopenmp region.c -o region || exit 1
# What LLVM's runtime lacks.
cat >newer.c <<'C'
#include <stdio.h>
int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel num_threads(1)
    puts("newer");
    if (argc > 5) {
#pragma omp error at(execution) severity(warning)
    }
    return 7;
}
C
gcc -fopenmp newer.c -o newer 2>/dev/null || rm -f newer

echo "what shells and make start"
line="./region uses GNU's libgomp, which cannot be traced; running it on LLVM's runtime "
for script in './region' 'exec ./region' 'env ./region' 'exec >out 2>&1 <&-; ./region'; do
    traced 8 sh -c "$script"
    prints "sum 4950, path unset"
    grep -qF "LLVM's runtime for" out && fail "children of $script inherit what was made for it alone"
    cat out >>err
    says "$line"
    has 1
done
traced 8 sh -c './region; ./region; ./region'
[ "$(grep -cF "$line" err)" -eq 1 ] || fail "the line on libgomp comes more than once"
has 3
if command -v make >/dev/null; then
    printf 'all: a b c\na b c:\n\t@./region || test $$? -eq 8\n' >makefile
    traced 0 make -s -j3
    has 3
fi
traced 8 bash -c 'exec -a other ./region'
has 1
ln -s region renamed
# shellcheck disable=SC2016 # for the inner shell
traced 0 sh -c './renamed '"'"'cat /proc/$PPID/comm'"'"
prints renamed
has 1
LD_LIBRARY_PATH=/nonesuch traced 8 sh -c ./region
prints "path /nonesuch"
"$omptape" -q --gomp=off -o untraced sh -c ./region >out 2>err
prints "sum 4950"
[ -e untraced/traces.otf2 ] && fail "--gomp=off does not hold for a shell's programs"

echo "omptape before it"
traced 0 ./region 'env | grep ^LD_LIBRARY_PATH || true'
grep -q ^LD_LIBRARY_PATH out && fail "children inherit LD_LIBRARY_PATH"
LD_LIBRARY_PATH=/nonesuch traced 0 ./region true
prints "path /nonesuch"
traced 8 sh -c "$omptape ./region; $omptape ./region"
says "2 processes in one archive"
[ "$(grep -c vampir err)" -eq 1 ] || fail "the inner omptape has a summary of its own"
has 2

if [ -x newer ]; then
    echo "what LLVM's runtime cannot run"
    traced 7 sh -c './newer; ./newer'
    prints newer
    says "./newer uses GNU's libgomp, which cannot be traced, and LLVM's runtime "
    [ "$(grep -c lacks err)" -eq 1 ] || fail "the line on what is lacking comes more than once"
    traced 0 ./region './newer; test $? -eq 7'
    prints newer
    has 1
    traced 0 sh -c "./region './newer; test \$? -eq 7'"
    prints newer
    has 1
fi
# Nothing is lost if the command is not where the library expects it.
traced 8 sh -c 'OMPTAPE_RESTART=/nonesuch ./region'
prints "sum 4950"

echo "values that libgomp ignores and LLVM's runtime dies of"
for threads in '' nonsense -1 2,x; do
    OMP_NUM_THREADS=$threads traced 8 ./region
    prints "sum 4950"
    says "OMP_NUM_THREADS=\"$threads\" is no number of threads"
    OMP_NUM_THREADS=$threads traced 8 sh -c ./region
    prints "sum 4950"
    has 1
done
OMP_NUM_THREADS=' 2 , 1' traced 8 ./region
grep -q "is no number" err && fail "a list of numbers is no number of threads"

echo "libgomp that is loaded late"
sed 's/int main/int region/' region.c >library.c
cat >late.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen("./library.so", RTLD_NOW);
    int (*region)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "region") : 0;
    (void)argc;
    return region ? region(1, argv) : 1;
}
C
gcc -fopenmp -fPIC -shared library.c -o library.so && gcc late.c -ldl -o late || exit 1
late="/late loaded GNU's libgomp only while it ran, and was not traced; --gomp=force gives it LLVM's runtime"
traced 8 sh -c './late; ./late'
[ "$(grep -cF "$late" err)" -eq 1 ] || fail "the line on a late libgomp does not come once"
[ "$(wc -l <err)" -eq 1 ] || fail "another line comes with that on a late libgomp"
traced 8 --gomp=force ./late
grep -qF "$late" err && fail "the line on a late libgomp comes with --gomp=force"
has 1
traced 0 ./region './late; test $? -eq 8'
has 1
says "$late"

echo "a libgomp that starts a tool by itself"
mkdir own
gcc -fPIC -shared -I"$build/ompt" "${run_python%/run}/e2e/gomp_with_ompt.c" -Wl,-soname,libgomp.so.1 -o own/libgomp.so.1 &&
    gcc -g -fopenmp -c region.c -o own/region.o &&
    gcc own/region.o own/libgomp.so.1 -Wl,-rpath,"$PWD/own" -o own/region || exit 1
for start in '' 'sh -c'; do
    # shellcheck disable=SC2086
    traced 8 $start ./own/region
    prints "sum 4950, path unset"
    grep -qF "LLVM's runtime" err && fail "a libgomp that starts a tool by itself is replaced"
    has 1
    "$omptape" info archive | grep -qF parallel || fail "the region is not in the archive"
done

if gcc -fopenmp -fsanitize=address region.c -o sanitized 2>/dev/null; then
    echo "AddressSanitizer, which insists on being the first library"
    traced 8 sh -c ./sanitized
    prints "sum 4950"
    has 1
fi

# launched NAME COMMAND...: by the command before the launcher, between both, and both.
launched() {
    local name=$1
    shift
    command -v "$1" >/dev/null || return
    echo "$name"
    traced 8 "$@" ./region
    has 2
    traced 8 "$@" "$omptape" ./region
    has 2
    rm -rf archive
    "$@" "$omptape" -o archive ./region >out 2>err
    has 2
    [ "$(grep -cF "$line" err)" -eq 1 ] || fail "$name: the line on libgomp does not come once"
    rm -rf archive
    "$@" "$omptape" -o archive sh -c ./region >out 2>err
    has 2
    [ "$(grep -cF "$line" err)" -eq 1 ] || fail "$name: the line on libgomp does not come once for scripts"
    if [ -x newer ]; then
        traced 7 "$@" ./newer
        [ "$(grep -c ^newer out)" -eq 2 ] || fail "$name: newer does not run"
    fi
}
launched "Open MPI" mpirun.openmpi --allow-run-as-root --oversubscribe -n 2
launched MPICH mpirun.mpich -n 2

if [ $failures -gt 0 ]; then
    echo "$failures failed" >&2
    exit 1
fi
echo "all passed"
