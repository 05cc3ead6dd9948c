#!/usr/bin/env bash
# Tries Earshot on a bare Debian: makes a minimal system in a folder, clones this project's last commit into it, and runs
# the README's two commands there. The last line says how that went; the log beside the folder says the rest.
#
#     Tests/Systems/debian.sh trixie|bookworm [--preset NAME] [--folder FOLDER]
#
# --preset NAME     installs the packages of Resources/debian-packages.txt and runs this workflow in place of the README's
#                   commands (core: the engine and the command line alone, warnings as errors)
# --folder FOLDER   where the system is made (default: build/systems/RELEASE); what lies there from an earlier run is deleted
# EARSHOT_MIRROR    Debian's mirror (default: http://deb.debian.org/debian)
#
# It needs root, debootstrap and git.
set -euo pipefail
cd "$(dirname "$0")/../.."

stop() { echo "debian.sh: $*" >&2; exit 2; }
release=${1:-}; shift || true
case $release in
    bookworm | trixie) ;;
    *) stop "name a release: trixie or bookworm" ;;
esac
folder=build/systems/$release preset=
while [ $# -gt 0 ]; do
    case $1 in
        --preset) preset=${2:?} ;;
        --folder) folder=${2:?} ;;
        *) stop "unknown option $1" ;;
    esac
    shift 2
done
[ "$(id -u)" = 0 ] || stop "run it as root: it makes a system in a folder and enters it"
command -v debootstrap >/dev/null || stop "install debootstrap"
mirror=${EARSHOT_MIRROR:-http://deb.debian.org/debian}
# Only what this script made is deleted.
if [ -e "$folder" ] && [ ! -e "$folder/.earshot-system" ]; then stop "$folder is there already; name another folder"; fi
log=$folder.log
mkdir -p "$(dirname "$folder")"
rm -rf --one-file-system "$folder"
mkdir "$folder" && touch "$folder/.earshot-system"
folder=$(realpath "$folder")

# Enters the system. Its mounts end with it.
inside() {
    unshare --mount --propagation private bash -euo pipefail -c '
        mount --rbind /dev "$0/dev"
        mount -t proc proc "$0/proc"
        mount --rbind /sys "$0/sys"
        exec chroot "$0" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$1"' "$folder" "$1"
}
# The README's N-th command that runs a workflow, as it stands there. Root needs no sudo, which a bare system lacks.
readme() { echo 'sudo() { "$@"; }; cd /earshot;' "$(grep -E '^[^#]*cmake --workflow' README.md | sed -n "$1p")"; }
failed() {
    tail -n 40 "$log"
    echo "$release: $1 failed after $SECONDS s (log: $log)"
    exit 1
}
result="$release:"
step() { # step NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    "$@" >>"$log" 2>&1 </dev/null || failed "$name"
    result+=" $name $((SECONDS - start)) s,"
}
workflow() { inside "cd /earshot && cmake --workflow --preset $preset"; }
packages() {
    inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends \
            \$(cat /earshot/Resources/debian-packages.txt)"
}

: >"$log"
step system debootstrap --variant=minbase "$release" "$folder" "$mirror"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
git clone --quiet --no-hardlinks . "$folder/earshot"
if [ -n "$preset" ]; then
    step packages packages
    step "$preset" workflow
else
    step demo inside "$(readme 1)"
    step test inside "$(readme 2)"
fi
# CTest's own summary: "100% tests passed, 0 tests failed out of 1008" and the list of what was skipped.
summary=$(grep -E 'tests passed, .* tests failed out of' "$log" | tail -n 1)
[ -n "$summary" ] || failed "no test ran, and that"
skipped=$(grep -cE '^[[:space:]]*[0-9]+ - .*\(Skipped\)$' "$log" || true)
echo "$result $summary, $skipped skipped ($(nproc) cores)"
