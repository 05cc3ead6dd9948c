#!/usr/bin/env bash
# Tries Earshot on a bare Debian: makes a minimal system in a folder, clones this project's last commit into it, and runs
# the README's two commands there. The last line says how that went; the log beside the folder says the rest.
#
#     Tests/Systems/debian.sh trixie|bookworm [--preset NAME]... [--folder FOLDER]
#
# --preset NAME     installs the packages of Resources/debian-packages.txt and runs this workflow instead of the README's
#                   commands, warnings as errors (core: the engine and the command line; plugins: the app and the plugins);
#                   may be given several times
# --folder FOLDER   where the system is made (default: build/systems/RELEASE)
#
# EARSHOT_MIRROR and EARSHOT_CCACHE: see systems.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Systems/systems.sh

release=${1:-}; shift || true
case $release in
    bookworm | trixie) ;;
    *) stop "name a release: trixie or bookworm" ;;
esac
folder=build/systems/$release presets=()
while [ $# -gt 0 ]; do
    case $1 in
        --preset) presets+=("${2:?}") ;;
        --folder) folder=${2:?} ;;
        *) stop "unknown option $1" ;;
    esac
    shift 2
done
folder=$(realpath -m "$folder")
log=$folder.log

# The README's N-th command that runs a workflow, as it stands there. Root needs no sudo, which a bare system lacks.
commands=$(grep -E '^[^#]*cmake --workflow' README.md || true)
[ "$(wc -l <<<"$commands")" = 2 ] || stop "README.md has not two commands that run a workflow"
readme() { echo 'sudo() { "$@"; }; cd /earshot;' "$(sed -n "$1p" <<<"$commands")"; }
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

mkdir -p "$(dirname "$folder")"
: >"$log"
step system new_system "$release" "$folder"
git clone --quiet --no-hardlinks . "$folder/earshot"
if [ ${#presets[@]} -gt 0 ]; then
    step packages inside "$folder" "apt-get update -qq && apt-get install -y -qq --no-install-recommends \
                                    \$(cat /earshot/Resources/debian-packages.txt)"
    for preset in "${presets[@]}"; do
        step "$preset" inside "$folder" "cd /earshot && cmake --workflow --preset $preset"
    done
else
    step demo inside "$folder" "$(readme 1)"
    step test inside "$folder" "$(readme 2)"
fi
# CTest's own summaries: "100% tests passed, 0 tests failed out of 1008", and the list of what was skipped.
summary=$(grep -E 'tests passed, .* tests failed out of' "$log" | paste -sd '+')
[ -n "$summary" ] || failed "no test ran, and that"
skipped=$(grep -cE '^[[:space:]]*[0-9]+ - .*\(Skipped\)$' "$log" || true)
echo "$result $summary, $skipped skipped ($(nproc) cores)"
