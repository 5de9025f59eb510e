# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
#
# omptape-batch: folders in which nobody else can replace what lies there. Sourced by ../omptape-batch and ../lint, and
# written into the scripts that are submitted.

# Whether only this user and root can rename what lies in a folder, and the folder itself. PATH is absolute and has no
# links. Whoever owns the root folder is root, also where a container shows another number.
is_safe_folder() { # PATH
    local folder=$1 owner mode root
    root=$(stat -c %u /) || return 1
    while true; do
        read -r owner mode <<<"$(stat -c '%u %a' -- "$folder" 2>/dev/null)" || return 1
        [[ $owner =~ ^[0-9]+$ && ($owner == 0 || $owner == "$root" || $owner == "$UID") ]] || return 1
        ((!(8#$mode & 8#022) || 8#$mode & 8#1000)) || return 1
        [[ $folder != / ]] || return 0
        folder=${folder%/*}
        folder=${folder:-/}
    done
}

# Makes the folder `work` for temporary files. Its name is as good as a descriptor: nobody else can put another folder
# in its place, so it may be removed by name.
make_private_folder() {
    local place
    for place in "${TMPDIR:-}" /tmp /var/tmp "${XDG_RUNTIME_DIR:-}" "${HOME:-}"; do
        [[ -n $place ]] && place=$(readlink -e -- "$place") && is_safe_folder "$place" || continue
        work=$(mktemp -d "${place%/}/omptape-batch.XXXXXX" 2>/dev/null) && return
    done
    echo "omptape-batch: in each of TMPDIR, /tmp, /var/tmp, XDG_RUNTIME_DIR and HOME others can replace files" >&2
    return 1
}

# Whether a folder is this user's alone.
is_private() { # FOLDER
    local owner mode
    read -r owner mode <<<"$(stat -c '%u %a' -- "$1" 2>/dev/null)" || return 1
    [[ $owner == "$UID" ]] && ((!(8#$mode & 8#077)))
}
