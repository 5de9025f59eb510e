#!/usr/bin/env bash
# The CUPTI producer on a real NVIDIA GPU. Not part of CTest: the machine that has one may have little else.
#   run.sh pack BUILD FOLDER [sm_90]   where omptape was built: puts it, the programs and all that they need into FOLDER
#   run.sh trace FOLDER RESULTS        where the GPU is, with FOLDER alone: traces, counts, keeps activity buffers
#   run.sh check BUILD RESULTS         again where omptape was built: gives the archives to the checker
# pack needs clang-19, clang-tools-19, nvcc, and apt-get (it downloads Debian's libomp-19-dev, libomp5-19, libLLVM and
# installs nothing). CUDA_HOME names CUDA, /usr/local/cuda if it is unset. trace needs an NVIDIA driver and a libcupti.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}

fail() { echo "gpu: $*" >&2; exit 1; }

# The libraries of these files that are not the C library's, which must be the machine's own.
closure() {
    ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -Ev '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*|libcuda)\.so'
}

pack() {
    local build=$1 folder=$2 arch=${3:-sm_90} llvm
    mkdir -p "$folder/lib" "$folder/programs" "$folder/omptape"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT # not local: it outlives this function
    (cd "$work" && apt-get -q download libomp-19-dev libomp5-19 libllvm19 >/dev/null &&
        for package in ./*.deb; do dpkg -x "$package" unpacked; done)
    llvm=$work/unpacked/usr/lib/llvm-19
    # Links of the development package lead into folders that may not be installed.
    for library in libomp.so.5 libomptarget.so.19.1; do
        find "$work/unpacked/usr/lib" -name "$library" -type f -exec cp {} "$folder/lib/" \;
    done
    find "$work/unpacked/usr/lib" -name 'libomp-19.so.5' -type f -exec cp {} "$folder/lib/libomp.so.5" \;
    find "$work/unpacked/usr/lib" -name 'libLLVM.so.19.1' -type f -exec cp {} "$folder/lib/" \;
    ln -sf libomp.so.5 "$folder/lib/libomp.so"
    ln -sf libomptarget.so.19.1 "$folder/lib/libomptarget.so"
    clang-19 -g -O2 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target "-march=$arch" \
        "--cuda-path=$cuda" "--libomptarget-nvptx-bc-path=$llvm/lib/libomptarget-nvptx-$arch.bc" \
        -isystem "$(dirname "$(find "$work/unpacked" -name omp.h | head -1)")" "-L$folder/lib" "-L$llvm/lib" \
        "$here/target.c" -o "$folder/programs/target"
    # nvcc's host compiler is gcc, whose OpenMP is libgomp; clang's makes calls that LLVM's runtime can trace.
    "$cuda/bin/nvcc" -arch="$arch" -ccbin clang++-19 -allow-unsupported-compiler -Xcompiler -fopenmp,-g \
        -Xcompiler "-isystem,$(dirname "$(find "$work/unpacked" -name omp.h | head -1)")" \
        -L"$folder/lib" -lomp "$here/kernels.cu" -o "$folder/programs/kernels"
    "$cuda/bin/nvcc" -arch="$arch" "$here/record_activity.cu" -I"$cuda/extras/CUPTI/include" \
        -L"$cuda/extras/CUPTI/lib64" -L"$cuda/lib64" -lcupti -o "$folder/programs/record_activity"
    cp -r "$build/bin" "$build/lib" "$build/libexec" "$folder/omptape/"
    LD_LIBRARY_PATH=$folder/lib closure "$folder/lib/"*.so.* "$build/bin/omptape" "$build/libexec/omptape/omptape-writer" |
        while read -r library; do cp -nL "$library" "$folder/lib/"; done
    cp "$here/run.sh" "$folder/"
    echo "gpu: $folder is packed: $(du -sh "$folder" | cut -f1)"
}

# omptape starts its writer with an environment of its own; this one finds the libraries that were carried.
make_writer() {
    cat >"$1/writer" <<EOF
#!/bin/sh
LD_LIBRARY_PATH=$1/lib exec $1/omptape/libexec/omptape/omptape-writer "\$@"
EOF
    chmod +x "$1/writer"
}

# What `info` tells of the archive, against what the program printed: said VALUE KEY FILE.
said() { awk -v key="$1" '$1 == key { print $2 }' "$2"; }

trace_one() {
    local folder=$1 results=$2 name=$3
    local libraries=$folder/lib:$cuda/extras/CUPTI/lib64:$cuda/lib64:${LD_LIBRARY_PATH:-}
    echo "== $name"
    LD_LIBRARY_PATH=$libraries "$folder/programs/$name" >"$results/$name.plain" || fail "$name does not run"
    LD_LIBRARY_PATH=$libraries OMPTAPE_WRITER=$folder/writer timeout 300 \
        "$folder/omptape/bin/omptape" --force -o "$results/$name" "$folder/programs/$name" \
        >"$results/$name.out" 2>"$results/$name.err" || fail "$name fails under omptape: $(cat "$results/$name.err")"
    cmp "$results/$name.plain" "$results/$name.out" || fail "$name prints something else under omptape"
    cat "$results/$name.err"
    LD_LIBRARY_PATH=$libraries "$folder/omptape/bin/omptape" info "$results/$name" >"$results/$name.info"
    LD_LIBRARY_PATH=$libraries "$folder/omptape/bin/omptape" check "$results/$name"
    grep -q "CUDA stream" "$results/$name.info" || fail "$name: no device was traced by CUPTI"
    local kernels
    kernels=$(awk '/Regions \(/ { on = 1 } on && ($1 == "kernel" || $1 == "function") { n += $3 } END { print n + 0 }' "$results/$name.info")
    echo "kernels: $kernels in the archive, $(said kernels "$results/$name.out") ran"
    [ "$kernels" = "$(said kernels "$results/$name.out")" ] || fail "$name: not all kernels are in the archive"
}

trace() {
    local folder results=$2
    folder=$(cd "$1" && pwd)
    mkdir -p "$results/activity"
    results=$(cd "$results" && pwd)
    nvidia-smi -L || fail "no NVIDIA device"
    make_writer "$folder"
    LD_LIBRARY_PATH=$cuda/extras/CUPTI/lib64:$cuda/lib64:${LD_LIBRARY_PATH:-} \
        "$folder/programs/record_activity" "$results/activity"
    trace_one "$folder" "$results" target
    trace_one "$folder" "$results" kernels
    echo "gpu: all good; $results/activity holds CUPTI's buffers"
}

check() {
    local build=$1 results=$2 name
    for name in target kernels; do
        "$here/../run" checker.check "$build/bin/omptape" "$results/$name/traces.otf2"
    done
}

case ${1:-} in
pack) [ $# -ge 3 ] && pack "$2" "$3" "${4:-sm_90}" ;;
trace) [ $# -eq 3 ] && trace "$2" "$3" ;;
check) [ $# -eq 3 ] && check "$2" "$3" ;;
*) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
