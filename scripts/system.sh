# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
#
# Other systems, unpacked in a folder by mmdebstrap, for scripts/matrix and scripts/fresh. Sourced after lib.sh. Needs root
# rights.

need_systems() {
    [[ $(id -u) -eq 0 ]] || fail "this needs root rights"
    command -v mmdebstrap >/dev/null || fail "there is no mmdebstrap"
}

# What was committed, as a user would unpack it.
add_checkout() { # SYSTEM
    mkdir -p "$1/omptape" && git -C "$root" archive HEAD | tar -x -C "$1/omptape" && cp /etc/resolv.conf "$1/etc/resolv.conf"
}

remove_system() { # SYSTEM
    rm -rf --one-file-system "$1"
}

# Runs a command in a system. The folder becomes the root itself, as in a chroot no user namespace can be made. Shared
# memory is its own: LLVM's runtime names a file there by its process number, which means others outside.
inside() { # SYSTEM COMMAND
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount --pid --fork --kill-child bash -euc '
        mount --bind "$1" "$1"
        cd "$1"
        mount --rbind /dev dev
        mount -t tmpfs tmpfs dev/shm
        mount -t proc proc proc
        pivot_root . mnt
        exec env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            bash -euc "umount -l /mnt; $2"' inside "$1" "$2"
}
