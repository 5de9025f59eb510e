# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What the scripts share: messages, and packages installed when they are missing. Sourced, not run.
# `root` is the checkout.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() {
    echo "$(basename "$0"): $*"
}

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "this needs root rights: $*"
    fi
}

is_installed() { # PACKAGE
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Installs those of the packages that are missing, and says which.
need_packages() {
    local package missing=()
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    command -v apt-get >/dev/null || fail "please install (this is no Debian, the names may differ): ${missing[*]}"
    say "installing with apt-get: ${missing[*]}"
    # The lists may be absent (a fresh image) or too old for what the mirror still has.
    if ! apt-get --simulate --no-install-recommends install "${missing[@]}" >/dev/null 2>&1; then
        say "apt-get update"
        as_root apt-get -qq update || fail "apt-get update failed"
    fi
    apt_install "${missing[@]}" || {
        say "apt-get update"
        as_root apt-get -qq update && apt_install "${missing[@]}"
    } || fail "apt-get could not install: ${missing[*]}"
}

# Quiet unless it fails. What packages bring as services is not started: the tests want programs, not a running system.
apt_install() {
    local log status=0
    log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 RUNLEVEL=1 apt-get -q -y --no-install-recommends \
        -o Dpkg::Use-Pty=0 install "$@" >"$log" 2>&1 || status=$?
    [[ $status -eq 0 ]] || tail -n 30 "$log" >&2
    rm -f "$log"
    return "$status"
}

# The versions N of the libomp-N-dev packages that are installed (there is one at most: they exclude each other).
installed_libomp() {
    dpkg-query -W -f='${db:Status-Status} ${Package}\n' 'libomp-*-dev' 2>/dev/null |
        sed -n 's/^installed libomp-\([0-9]*\)-dev$/\1/p' || true # dpkg-query finds it an error when there is none
}

# Configures and builds: BUILD_DIR, then cmake's arguments.
build() {
    local folder=$1
    shift
    cmake -S "$root" -B "$folder" "$@" >"$folder/configure.log" 2>&1 || {
        cat "$folder/configure.log" >&2
        fail "cmake could not configure $folder"
    }
    cmake --build "$folder" -j "$(nproc)" >"$folder/build.log" 2>&1 || {
        tail -n 60 "$folder/build.log" >&2
        fail "the build failed; all of it is in $folder/build.log"
    }
}
