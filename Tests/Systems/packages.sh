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
# The users of that system have a results folder and an app's settings that an older version left
# (Tests/Systems/version-0.1.0.tar.xz, version-0.2.0.tar.xz).
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
# The user of an old version: its home, here and in the system.
old_versions=(0.1.0 0.2.0)
user_of() { # user_of VERSION
    who=listener-${1//./}
    home=$folder/home/$who
}
user() { root "su -l $who -c $(printf %q "set -eu; export LANG=C.UTF-8 PATH=$programs:\$PATH; $1")"; }

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
    root "apt-get update -qq"
}
# What an old version left: a results folder with its journal, and the app's settings. Journals know recordings by their time.
old_files() { # old_files VERSION
    root "useradd --create-home --shell /bin/bash $who"
    tar -C "$home" -xf "Tests/Systems/version-$1.tar.xz"
    mkdir "$home/recordings"
    cp Resources/demo.flac "$home/recordings/demo.flac"
    touch -d 2026-01-02T03:04:05Z "$home/recordings/demo.flac"
    root "chown -R $who: /home/$who"
}
demo() {
    user "earshot analyze recordings/demo.flac --format csv >found.csv; cat found.csv"
    for sound in Speech Flute Tom Clarinet; do grep -q ",$sound," "$home/found.csv"; done
}
version() {
    local said
    said=$(user "earshot --version")
    echo "$said"
    grep -qE "^earshot ${1//./\\.}( |\$)" <<<"$said" # a commit follows where git was there
}
# The default model is another one: that is said and nothing touched, and all is analysed again where the user asks for it. Then
# a second run has nothing to do.
goes_on() {
    local old
    cp "$home/recordings/demo.flac" "$home/recordings/second.flac"
    old=$(cat "$home/results/demo.flac.csv")
    if user "earshot analyze recordings --output-dir results --format csv" >"$folder/tmp.log" 2>&1; then return 1; fi
    cat "$folder/tmp.log"
    grep -q "made with other settings (.*model was" "$folder/tmp.log"
    [ "$(cat "$home/results/demo.flac.csv")" = "$old" ]
    user "earshot analyze recordings --output-dir results --format csv --restart"
    for recording in demo second; do grep -q "^$recording.flac,.*,Clarinet," "$home/results/$recording.flac.csv"; done
    user "earshot analyze recordings --output-dir results --format csv" 2>&1 | tee "$folder/tmp.log"
    grep -q "2 of 2 recordings are done already" "$folder/tmp.log"
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
# The app shows the demo: a picture of many colours. It has the settings that the old version stored, and keeps them.
app() {
    user "xvfb-run -a -s '-screen 0 1280x800x24' bash -c '
        earshot-app recordings/demo.flac & app=\$!
        sleep 20
        import -window root app.png
        kill -0 \$app
        kill \$app; wait \$app || true'"
    cp "$home/app.png" "$folder-$who.png"
    colours=$(root "identify -format %k /home/$who/app.png")
    echo "$colours colours"
    [ "$colours" -gt 500 ]
    grep -q 'name="windowPlace"' "$home/.config/Earshot/Earshot.settings"
}
# A program that uses the library finds the demo's sounds.
library() {
    cp Resources/examples/c/analyze.c "$home"
    apt gcc libc6-dev pkg-config
    user "cc -Wall -Werror analyze.c \$(pkg-config --cflags --libs earshot) -o analyze
          ./analyze recordings/demo.flac >sounds; cat sounds; [ \$(wc -l <sounds) -gt 4 ]"
}
# The events of the command line, in Python; as root, who may write what Python compiles.
python() {
    apt python3-pandas
    root "cd /home/$who && python3 -c 'import earshot; print(earshot.Model().analyze(\"recordings/demo.flac\").to_pandas())'"
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
    for old in "${old_versions[@]}"; do
        user_of "$old"
        [ -s "$home/results/demo.flac.csv" ]
        [ -s "$home/results/.earshot/journal.sqlite" ]
        [ -s "$home/.config/Earshot/Earshot.settings" ]
    done
}

required "a bare system" system
for old in "${old_versions[@]}"; do
    user_of "$old"
    required "files of version $old" old_files "$old"
done
for_each_old() { # for_each_old NAME FUNCTION: a step for the user of each old version
    for old in "${old_versions[@]}"; do
        user_of "$old"
        step "$1 of $old" "$2"
    done
}
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
    for_each_old "going on in a results folder" goes_on
    step "a program is built with the library and runs" library
    step "Python finds the same" python
    step "a Vamp host finds the same" vamp
    required "programs to try it with" tools ardour
    step "lv2ls and lv2info" lv2
    step "Ardour's scanner loads the VST3" vst3 /usr/lib/vst3/Earshot.vst3
    for_each_old "the app draws, with settings" app
    step "purged: nothing is left but the user's files" purged
else
    archive=$(basename "$given" .tar.xz)
    programs=/home/$who/$archive/bin
    unpacked() {
        (cd "$(dirname "$given")" && sha256sum -c SHA256SUMS)
        tar -C "$home" -xf "$given"
        cp -r "$home/$archive/Earshot.vst3" "$home"
        mkdir "$home/.lv2"
        cp -r "$home/$archive/Earshot.lv2" "$home/.lv2"
        root "chown -R $who: /home/$who; chmod 755 /home/$who"
    }
    # What a bare system lacks, so that the archive is seen to bring it. Debian 13's apt needs SQLite.
    brought="dnnl|gomp|fftw3f|sndfile|soxr|zip|utf8proc|fmt|FLAC"
    if [ "$release" = bookworm ]; then brought+="|sqlite3"; fi
    lacking() { ! root "ls /usr/lib/x86_64-linux-gnu" | grep -E "lib($brought)\."; }
    required "the archive is unpacked" unpacked
    step "the system has none of its libraries" lacking
    step "the version is ${archive#earshot-}" version "$(cut -d- -f2 <<<"$archive")"
    step "the demo's sounds are found" demo
    for_each_old "going on in a results folder" goes_on
    required "programs to try it with" tools ardour libfreetype6 "libasound2*" fonts-dejavu-core libxcursor1 libxinerama1 libxrandr2
    step "lv2ls and lv2info" lv2
    step "Ardour's scanner loads the VST3" vst3 "/home/$who/Earshot.vst3"
    for_each_old "the app draws, with settings" app
fi
finish
