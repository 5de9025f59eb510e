#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# End-to-end tests of programs built by gcc, which run on their own libgomp: started by a shell, make, an inner omptape,
# mpirun; preloaded by hand; with several libgomps, or one that has OMPT; and held against the runs without omptape.
# Usage: test_gomp.sh BUILD_DIR FOLDER_WITH_LLVMS_LIBGOMP
set -u

build=$(cd "${1:?usage: test_gomp.sh BUILD_DIR LLVMS_FOLDER}" && pwd)
llvm=${2:?usage: test_gomp.sh BUILD_DIR LLVMS_FOLDER}
omptape=$build/bin/omptape
run_python=$(cd "$(dirname "$0")/.." && pwd)/run
if ! command -v gcc >/dev/null; then
    echo "SKIPPED: there is no gcc"
    exit 77
fi
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for variable in $(compgen -v OMPTAPE_); do unset "$variable"; done
unset LD_PRELOAD LD_LIBRARY_PATH OMP_TOOL OMP_TOOL_LIBRARIES
export OMP_NUM_THREADS=2

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
    "$omptape" check archive >checked 2>&1 || fail "omptape check says: $(cat checked)"
    found=$(otf2-print -G archive/traces.otf2 | grep -c '^LOCATION_GROUP ')
    [ "$found" -eq "$1" ] || fail "the archive has $found processes, not $1"
}
# forks NUMBER: so many parallel regions.
forks() {
    local found
    found=$(otf2-print archive/traces.otf2 | grep -c '^THREAD_FORK ')
    [ "$found" -eq "$1" ] || fail "the archive has $found parallel regions, not $1"
}

cat >region.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], own[4096] = "none";
    while (maps && fgets(line, sizeof(line), maps))
        if (strstr(line, "/libgomp"))
            strcpy(own, strchr(line, '/'));
    printf("sum %d, path %s, %s", sum, getenv("LD_LIBRARY_PATH") ? getenv("LD_LIBRARY_PATH") : "unset", own);
    fflush(stdout);
    return argc > 1 ? system(argv[1]) : 8;
}
C
gcc -g -fopenmp region.c -o region || exit 1
./region >native

echo "what shells and make start"
for script in './region' 'exec ./region' 'env ./region' 'exec >out 2>&1 <&-; ./region'; do
    traced 8 sh -c "$script"
    cmp -s native out || fail "$script prints something else: $(cat out)"
    has 1
    forks 1
done
traced 8 sh -c './region; ./region; ./region'
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
traced 8 sh -c "$omptape ./region; $omptape ./region"
says "2 processes in one archive"
[ "$(grep -c vampir err)" -eq 1 ] || fail "the inner omptape has a summary of its own"
has 2

echo "preloaded by hand"
rm -rf archive
LD_PRELOAD=$build/lib/libomptape.so OMPTAPE_OUTPUT=archive OMPTAPE_QUIET=1 ./region >out 2>err
[ $? -eq 8 ] || fail "the exit code is lost"
cmp -s native out || fail "it prints something else: $(cat out)"
[ -s err ] && fail "it has something to say"
has 1
forks 1

echo "values that libgomp ignores"
for threads in '' nonsense -1 2,x ' 2 , 1'; do
    OMP_NUM_THREADS=$threads ./region >native 2>native.err
    OMP_NUM_THREADS=$threads traced 8 ./region
    cmp -s native out || fail "OMP_NUM_THREADS='$threads' prints something else"
    [ "$(grep -vc '^omptape: ' err)" -eq "$(wc -l <native.err)" ] || fail "OMP_NUM_THREADS='$threads' says something else"
    has 1
done

echo "libgomp that is loaded late, for the library alone that asks for it; a second copy; and both"
sed 's/int main/int region/' region.c >library.c
cat >late.c <<'C'
#include <dlfcn.h>
#include <string.h>
int main(int argc, char **argv)
{
    int code = 1;
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        int (*region)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "region") : 0;
        code = region ? region(1, argv) : 1;
    }
    return code;
}
C
gomp=$(gcc -print-file-name=libgomp.so.1)
[ -e "$gomp" ] || gomp=$(ldd region | sed -n 's/.*libgomp.so.1 => \(.*\) (.*/\1/p')
LC_ALL=C sed 's/libgomp\.so\.1/libgomq.so.1/g' "$gomp" >libgomq.so.1
gcc -fopenmp -fPIC -shared library.c -o library.so && gcc late.c -ldl -o late &&
    gcc -fopenmp -fPIC -c library.c -o copy.o &&
    gcc -shared copy.o ./libgomq.so.1 -Wl,-rpath,"$PWD" -lpthread -o copy.so || exit 1
traced 8 sh -c './late ./library.so'
has 1
forks 1
traced 8 ./late ./copy.so
has 1
forks 1
traced 8 ./late ./copy.so ./library.so ./copy.so
[ "$(grep -o "sum 4950" out | wc -l)" -eq 3 ] || fail "a copy computes something else"
has 1
forks 3
traced 0 ./region './late ./copy.so; test $? -eq 8'
has 2

llvm_lib=${llvm%/*}/lib
if command -v clang-19 >/dev/null && [ -e "$llvm_lib/libomp.so.5" ]; then
    echo "LLVM's runtime beside libgomp; and two of LLVM's, whatever the files are called"
    LC_ALL=C sed 's/libomp\.so\.5/libomq.so.5/g' "$llvm_lib/libomp.so.5" >libomq.so.5
    clang-19 -fopenmp=libomp -fPIC -c library.c -o clang.o &&
        clang-19 -shared clang.o "$llvm_lib/libomp.so.5" -Wl,-rpath,"$llvm_lib" -o clang.so &&
        clang-19 -shared clang.o ./libomq.so.5 -Wl,-rpath,"$PWD" -o clang_copy.so || exit 1
    for order in "library.so ./clang.so" "clang.so ./copy.so" "copy.so ./clang.so ./library.so"; do
        # shellcheck disable=SC2086
        traced 8 ./late ./$order
        has 1
        forks "$(echo "$order" | wc -w)"
        grep -q "not recorded" err && fail "it says that something was not recorded"
    done
    second='not recorded: a second OpenMP runtime'
    KMP_DUPLICATE_LIB_OK=1 traced 8 ./late ./clang.so ./clang_copy.so ./library.so
    [ "$(grep -c "$second" err)" -eq 1 ] || fail "it does not say once that there is a second runtime"
    has 1
    forks 2
    "$omptape" report --json=- archive | grep -q "\"$second" || fail "the report does not say it"
    rm -rf archive
    KMP_DUPLICATE_LIB_OK=1 LD_PRELOAD=$build/lib/libomptape.so OMPTAPE_OUTPUT=archive ./late ./clang.so ./clang_copy.so >out 2>err
    [ "$(grep -c "$second" err)" -eq 1 ] || fail "without the command it does not say so once"
fi

echo "runtimes that have OMPT: what they report counts once"
if [ -e "$llvm/libgomp.so.1" ]; then
    LD_LIBRARY_PATH=$llvm traced 8 ./region
    prints "sum 4950, path $llvm"
    has 1
    forks 1
fi
mkdir own
gcc -fPIC -shared -I"$build/ompt" "${run_python%/run}/e2e/gomp_with_ompt.c" -Wl,-soname,libgomp.so.1 -o own/libgomp.so.1 &&
    gcc -g -fopenmp -c region.c -o own/region.o &&
    gcc own/region.o own/libgomp.so.1 -Wl,-rpath,"$PWD/own" -o own/region || exit 1
for start in '' 'sh -c'; do
    # shellcheck disable=SC2086
    traced 8 $start ./own/region
    prints "sum 4950, path unset"
    has 1
    forks 1
done

echo "a program that ends while a second runtime describes itself: no half of a description is in the archive"
gcc -g -O1 -fopenmp -I"$build/ompt" "${run_python%/run}/e2e/described_twice.c" -ldl -o described_twice || exit 1
traced 0 ./described_twice
says 'a second OpenMP runtime ("a third one")'
has 1
forks 1
if grep -aq 'libgomp.so\|a second one\|omp_version' archive/traces.otf2; then
    fail "a half of a description is in the archive"
fi

# A library whose constructor calls libgomp before omptape's own constructors.
cat >early.c <<'EOF'
#include <omp.h>
static int threads;
__attribute__((constructor)) static void start(void)
{
    threads = omp_get_max_threads();
#pragma omp parallel
    threads = omp_get_max_threads();
}
int early_threads(void)
{
    return threads;
}
EOF
cat >after.c <<'EOF'
int early_threads(void);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
#pragma omp parallel reduction(+ : sum)
        sum++;
    }
    return sum == 3 * early_threads() ? 0 : 9;
}
EOF
gcc -fopenmp -fPIC -shared early.c -o early.so &&
    gcc -fopenmp after.c ./early.so -Wl,-rpath,"$PWD" -o after || exit 1
traced 0 ./after
has 1
forks 3

echo "what gcc 17 compiles to calls of its own"
gcc -g -O1 -fopenmp -fPIC -shared "${run_python%/run}/e2e/gomp_17.c" -ldl -o more17.so &&
    gcc -g -O1 -fopenmp -DPROGRAM "${run_python%/run}/e2e/gomp_17.c" ./more17.so -Wl,-rpath,"$PWD" -o seventeen || exit 1
traced 0 ./seventeen
prints "sum 14850, executed 33"
has 1
forks 1
otf2-print archive/traces.otf2 | sed -n 's/^ENTER .*Region: "!$omp \([a-z ]*\) @.*/\1/p' | sort | uniq -c | sed 's/ *//' >regions
for regions in "6 for" "6 for chunk" "6 single" "3 masked" "6 barrier" "8 implicit barrier"; do
    grep -qx "$regions" regions || fail "not $regions, but $(cat regions)"
done
line=$(grep -n 'pragma omp single' "${run_python%/run}/e2e/gomp_17.c" | cut -d: -f1)
otf2-print archive/traces.otf2 | grep -q "^ENTER .*omp single @gomp_17.c:$line\"" || fail "no single in line $line"

if gcc -fopenmp -fsanitize=address region.c -o sanitized 2>/dev/null; then
    echo "AddressSanitizer, which insists on being the first library"
    for start in '' 'sh -c'; do
        # shellcheck disable=SC2086
        traced 8 $start ./sanitized
        prints "sum 4950"
        has 1
    done
fi

echo "calls past omptape"
cat >deep.c <<'C'
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("./libdeep.so", RTLD_NOW | RTLD_DEEPBIND);
    int (*sum)(void) = library ? (int (*)(void))dlsym(library, "sum") : 0;
    return sum ? sum() : 1;
}
C
cat >deep_sum.c <<'C'
int sum(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 8; i++)
        sum += i;
    return sum;
}
C
gcc -fopenmp -shared -fPIC deep_sum.c -o libdeep.so
gcc -Wl,--no-as-needed deep.c -fopenmp -ldl -o deep
traced 28 ./deep
says "never called its OpenMP runtime"
says "RTLD_DEEPBIND"

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
    rm -rf archive
    "$@" "$omptape" -o archive sh -c ./region >out 2>err
    has 2
}
launched "Open MPI" mpirun.openmpi --allow-run-as-root --oversubscribe -n 2
launched MPICH mpirun.mpich -n 2

if [ $failures -gt 0 ]; then
    echo "$failures failed" >&2
    exit 1
fi
echo "all passed"
