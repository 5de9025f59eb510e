# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What the scripts share: messages, folders, and packages installed when they are missing. Sourced, not run.
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

# Makes a folder to build in, and sets `made` to its path. One that another user has put there, perhaps in /tmp for root to
# write to and run from, is refused. The checkout's owner is trusted: its scripts are run.
make_folder() { # FOLDER
    local owner place
    mkdir -p -- "$1" || exit
    made=$(cd -P -- "$1" && pwd -P && printf .) || exit
    made=${made%??}
    for place in "${1%"${1##*[!/]}"}" "$made"; do # the first may be a link
        owner=$(stat -c %u -- "${place:-/}")
        [[ $owner == "$(id -u)" || $owner == 0 || $owner == "$(stat -c %u -- "$root")" ]] || fail "$1 belongs to user $owner"
    done
}

is_installed() { # PACKAGE
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Why nothing can be installed here; nothing if it can.
no_installation() {
    command -v apt-get >/dev/null || echo "this is no Debian, the names may differ"
    [[ $(id -u) -eq 0 ]] || command -v sudo >/dev/null || echo "this needs root rights"
}

# Installs those of the packages that are missing, and says which. `unavailable` has those that cannot be had then; the
# others are there.
install_packages() { # PACKAGE...
    local package missing=()
    unavailable=()
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ -n $(no_installation) ]]; then
        unavailable=("${missing[@]}")
        return 0
    fi
    say "installing with apt-get: ${missing[*]}"
    # The lists may be absent (a fresh image) or too old for what the mirror still has.
    if ! apt-get --simulate --no-install-recommends install "${missing[@]}" >/dev/null 2>&1 || ! apt_install "${missing[@]}"; then
        say "apt-get update"
        as_root apt-get -qq update || say "apt-get update failed"
        apt_install "${missing[@]}" || apt_install_each "${missing[@]}"
    fi
}

# The build cannot do without these.
need_packages() { # PACKAGE...
    local reason
    install_packages "$@"
    [[ ${#unavailable[@]} -gt 0 ]] || return 0
    reason=$(no_installation | paste -sd ';')
    [[ -z $reason ]] || fail "please install ($reason): ${unavailable[*]}"
    echo "$apt_said" | tail -n 30 >&2
    fail "apt-get could not install: ${unavailable[*]}"
}

# The tests of what these bring skip without them.
want_packages() { # PACKAGE...
    install_packages "$@"
    [[ ${#unavailable[@]} -eq 0 ]] || say "going on without ${unavailable[*]}: tests that need them will be skipped"
}

# `apt_said` has what the last one that failed said. What packages bring as services is not started: the tests want programs,
# not a running system.
apt_install() { # PACKAGE...
    local said
    if ! said=$(as_root env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 RUNLEVEL=1 apt-get -q -y \
        --no-install-recommends -o Dpkg::Use-Pty=0 install "$@" 2>&1); then
        apt_said=$said
        return 1
    fi
}

# One package that apt-get refuses keeps it from installing any.
apt_install_each() { # PACKAGE...
    local package
    for package in "$@"; do
        apt_install "$package" || unavailable+=("$package")
    done
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
