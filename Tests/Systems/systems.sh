# Bare Debian systems in folders, for the scripts of this folder (bash, sourced). They need root, debootstrap and git.
# EARSHOT_MIRROR is Debian's mirror (default: http://deb.debian.org/debian). EARSHOT_CCACHE is a folder for the systems' compiler
# cache, which outlives them (default: none, so that everything is compiled).

stop() { echo "$(basename "$0"): $*" >&2; exit 2; }

# new_system RELEASE FOLDER [TARBALL]: makes a minimal system, or unpacks one (the one folder in TARBALL). What an earlier run
# made there is deleted, and nothing else.
new_system() {
    [ "$(id -u)" = 0 ] || stop "run it as root: it makes a system in a folder and enters it"
    command -v debootstrap >/dev/null || stop "install debootstrap"
    if [ -e "$2" ] && [ ! -e "$2/.earshot-system" ]; then stop "$2 is there already; name another folder"; fi
    rm -rf --one-file-system "$2"
    mkdir -p "$2" && touch "$2/.earshot-system"
    if [ -n "${3:-}" ]; then
        tar -C "$2" --strip-components=1 -xf "$3"
    else
        debootstrap --variant=minbase "$1" "$2" "${EARSHOT_MIRROR:-http://deb.debian.org/debian}"
    fi
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' >"$2/etc/hosts" # as Debian's installer leaves it
}

# inside FOLDER COMMANDS: runs bash commands in the system. Its mounts and processes end with them.
inside() {
    unshare --mount --pid --fork --kill-child --propagation private bash -euo pipefail -c '
        mount --rbind /dev "$0/dev"
        mount -t proc proc "$0/proc"
        mount --rbind /sys "$0/sys"
        cache=()
        if [ -n "$2" ]; then
            mkdir -p "$0/ccache" "$2"
            mount --bind "$2" "$0/ccache"
            cache=(CCACHE_DIR=/ccache)
        fi
        exec chroot "$0" /usr/bin/env -i "${cache[@]}" HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$1"' "$1" "$2" "${EARSHOT_CCACHE:-}"
}
