#!/usr/bin/env bash
# Tries what people install, in a bare Debian: the packages, or the relocatable archive. Each step is a line; the last line
# is the result.
#
#     Tests/Systems/packages.sh trixie|bookworm PACKAGES|ARCHIVE [--bare TARBALL] [--folder FOLDER]
#
# PACKAGES          the folder with the .deb of that release (cpack)
# ARCHIVE           earshot-VERSION-linux-x86_64.tar.xz, with SHA256SUMS beside it (Resources/packaging/archive.sh)
# --bare TARBALL    a tarball of a minimal system (one folder in it) in place of debootstrap
# --folder FOLDER   where the system is made (default: build/systems/RELEASE-packages or -archive); what lies there from an
#                   earlier run is deleted
# EARSHOT_MIRROR    Debian's mirror (default: http://deb.debian.org/debian)
#
# The user of that system has a results folder and an app that version 0.1.0 left (Tests/Systems/version-0.1.0.tar.xz).
# Screenshots and the log lie beside FOLDER. It needs root and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."
source Tests/Systems/systems.sh
release=${1:-} given=${2:-}
case $release in
    bookworm) ardour=ardour7 ;;
    trixie) ardour=ardour8 ;;
    *) stop "name a release: trixie or bookworm" ;;
esac
if [ -d "$given" ]; then kind=packages; else kind=archive; fi
[ -e "$given" ] || stop "name the folder of the packages or the archive"
shift 2
folder=build/systems/$release-$kind bare=
while [ $# -gt 0 ]; do
    case $1 in
        --bare) bare=$(realpath "${2:?}") ;;
        --folder) folder=${2:?} ;;
        *) stop "unknown option $1" ;;
    esac
    shift 2
done
folder=$(realpath -m "$folder")
log=$folder.log
mkdir -p "$(dirname "$folder")"
: >"$log"

root() { inside "$folder" "$1"; }
user() { root "su -l listener -c $(printf %q "set -eu; export LANG=C.UTF-8 PATH=$programs:\$PATH; $1")"; }

failures=0 steps=0
step() { # step NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    steps=$((steps + 1))
    echo "==== $name" >>"$log"
    set +e # within `if` a function would not end at what fails
    (set -e; "$@") >>"$log" 2>&1 </dev/null
    local status=$?
    set -e
    if [ $status = 0 ]; then
        echo "ok      $name ($((SECONDS - start)) s)"
    else
        echo "failed  $name ($((SECONDS - start)) s)"
        tail -n 15 "$log" | sed 's/^/        /'
        failures=$((failures + 1))
    fi
}
finish() {
    echo "$release, $kind: $((steps - failures)) of $steps steps ok in $SECONDS s (log: $log)"
    exit $((failures > 0))
}
required() { # as step, and nothing goes on without it
    local before=$failures
    step "$@"
    [ "$failures" = "$before" ] || finish
}
apt() { root "apt-get install -y -qq --no-install-recommends $*"; }

system() {
    new_system "$release" "$folder" "$bare"
    root "apt-get update -qq && useradd --create-home --shell /bin/bash listener"
}
# What version 0.1.0 left: a results folder with its journal, and the app's settings. Journals know recordings by their time.
old_files() {
    local home=$folder/home/listener
    tar -C "$home" -xf Tests/Systems/version-0.1.0.tar.xz
    mkdir "$home/recordings"
    cp Resources/demo.flac "$home/recordings/demo.flac"
    touch -d 2026-01-02T03:04:05Z "$home/recordings/demo.flac"
    root "chown -R listener: /home/listener"
}
demo() {
    user "earshot analyze recordings/demo.flac --format csv >found.csv; cat found.csv"
    for sound in Speech Flute Tom Clarinet; do grep -q ",$sound," "$folder/home/listener/found.csv"; done
}
version() {
    local said
    said=$(user "earshot --version")
    echo "$said"
    grep -qE "^earshot ${1//./\\.}( |\$)" <<<"$said" # a commit follows where git was there
}
# The recording is not heard again; another one is; the table has both.
goes_on() {
    local home=$folder/home/listener
    local before
    before=$(grep -c '^demo.flac,' "$home/results/demo.flac.csv")
    cp "$home/recordings/demo.flac" "$home/recordings/second.flac"
    user "earshot analyze recordings --output-dir results --format csv" >"$folder/tmp.log" 2>&1
    cat "$folder/tmp.log"
    grep -q "1 of 2 recordings are done already" "$folder/tmp.log"
    [ "$before" -gt 3 ]
    [ "$(grep -c '^demo.flac,' "$home/results/demo.flac.csv")" = "$before" ]
    [ "$(grep -c '^second.flac,' "$home/results/second.flac.csv")" = "$before" ]
}
tools() { apt xvfb xauth imagemagick lilv-utils "$@"; }
lv2() {
    user "lv2ls; [ \$(lv2ls | grep -c '^https://earshot-audio.github.io/earshot$') = 1 ]"
    user "lv2info https://earshot-audio.github.io/earshot >info 2>complaints; cat info complaints
          grep -q 'Name: *Earshot' info; [ ! -s complaints ]"
}
vst3() { # vst3 BUNDLE
    user "export LD_LIBRARY_PATH=/usr/lib/$ardour; \$LD_LIBRARY_PATH/ardour-vst3-scanner -f -v $1 >scan 2>&1; cat scan
          grep -q Earshot scan"
}
# The app shows the demo: a picture of many colours. It has the theme and the threshold that 0.1.0 stored, and keeps them.
app() {
    local home=$folder/home/listener
    user "xvfb-run -a -s '-screen 0 1280x800x24' bash -c '
        earshot-app recordings/demo.flac & app=\$!
        sleep 20
        import -window root app.png
        kill -0 \$app
        kill \$app; wait \$app || true'"
    cp "$home/app.png" "$folder.png"
    colours=$(root "identify -format %k /home/listener/app.png")
    echo "$colours colours"
    [ "$colours" -gt 500 ]
    grep -q 'name="windowPlace"' "$home/.config/Earshot/Earshot.settings"
}
# A program that uses the library finds the demo's sounds.
library() {
    cp Resources/examples/c/analyze.c "$folder/home/listener"
    apt gcc libc6-dev pkg-config
    user "cc -Wall -Werror analyze.c \$(pkg-config --cflags --libs earshot) -o analyze
          ./analyze recordings/demo.flac >sounds; cat sounds; [ \$(wc -l <sounds) -gt 4 ]"
}
# The events of the command line, in Python; as root, who may write what Python compiles.
python() {
    apt python3-pandas
    root "cd /home/listener && python3 -c 'import earshot; print(earshot.Model().analyze(\"recordings/demo.flac\").to_pandas())'"
    user "python3 -m earshot recordings/demo.flac >python.csv; earshot analyze recordings/demo.flac --format csv | cmp - python.csv"
}
vamp() {
    apt vamp-examples
    user "vamp-simple-host earshot.so:earshot:events recordings/demo.flac >events; cat events; [ \$(grep -c Clarinet events) = 2 ]"
}
# All that is called after Earshot, but for what the user has.
left_over() { find "$folder" -xdev -path "$folder/home" -prune -o -path "$folder/packages" -prune -o \
    \( -iname '*earshot*' ! -name .earshot-system \) -print; }
purged() {
    root "apt-get purge -y -qq earshot earshot-data earshot-plugins earshot-app libearshot-dev libearshot0 python3-earshot \
        earshot-vamp"
    rm -rf "$folder/packages"
    left_over
    [ -z "$(left_over)" ]
    local home=$folder/home/listener
    [ -s "$home/results/demo.flac.csv" ] && [ -s "$home/results/.earshot/journal.sqlite" ] &&
        [ -s "$home/.config/Earshot/Earshot.settings" ]
}

required "a bare system" system
required "files of version 0.1.0" old_files
if [ $kind = packages ]; then
    programs=/usr/bin
    packages() {
        mkdir "$folder/packages"
        cp "$given"/*.deb "$folder/packages"
        apt /packages/*.deb
        root "dpkg --verify earshot earshot-data earshot-plugins earshot-app libearshot0 libearshot-dev \
            python3-earshot earshot-vamp"
    }
    packages_version=$(basename "$given"/earshot-data_*.deb | sed -E 's/^[^_]*_([0-9.]+)-.*/\1/')
    required "the packages are installed" packages
    step "the version is $packages_version" version "$packages_version"
    step "the demo's sounds are found" demo
    step "a results folder of 0.1.0 goes on" goes_on
    step "a program is built with the library and runs" library
    step "Python finds the same" python
    step "a Vamp host finds the same" vamp
    required "programs to try it with" tools ardour
    step "lv2ls and lv2info" lv2
    step "Ardour's scanner loads the VST3" vst3 /usr/lib/vst3/Earshot.vst3
    step "the app draws" app
    step "purged: nothing is left but the user's files" purged
else
    archive=$(basename "$given" .tar.xz)
    programs=/home/listener/$archive/bin
    unpacked() {
        (cd "$(dirname "$given")" && sha256sum -c SHA256SUMS)
        tar -C "$folder/home/listener" -xf "$given"
        cp -r "$folder/home/listener/$archive/Earshot.vst3" "$folder/home/listener"
        mkdir "$folder/home/listener/.lv2"
        cp -r "$folder/home/listener/$archive/Earshot.lv2" "$folder/home/listener/.lv2"
        root "chown -R listener: /home/listener"
    }
    # What a bare system lacks, so that the archive is seen to bring it. Debian 13's apt needs SQLite.
    brought="dnnl|gomp|fftw3f|sndfile|soxr|zip|utf8proc|fmt|FLAC"
    if [ "$release" = bookworm ]; then brought+="|sqlite3"; fi
    lacking() { ! root "ls /usr/lib/x86_64-linux-gnu" | grep -E "lib($brought)\."; }
    required "the archive is unpacked" unpacked
    step "the system has none of its libraries" lacking
    step "the version is ${archive#earshot-}" version "$(cut -d- -f2 <<<"$archive")"
    step "the demo's sounds are found" demo
    step "a results folder of 0.1.0 goes on" goes_on
    required "programs to try it with" tools ardour libfreetype6 "libasound2*" fonts-dejavu-core libxcursor1 libxinerama1 libxrandr2
    step "lv2ls and lv2info" lv2
    step "Ardour's scanner loads the VST3" vst3 /home/listener/Earshot.vst3
    step "the app draws" app
fi
finish
