#!/usr/bin/env bash
# libsndfile refuses CAF files whose data chunk has the size -1, which the format defines as "up to the end of the file", and
# which ffmpeg writes into pipes. caf.c even has a branch for -1, but a check for negative sizes of any chunk stands
# before it and ends the loop, so that the branch is never reached and the file "is malformed". Writing the true size into the
# eight bytes behind "data" (big-endian, four bytes of edit count included) is all that it needs.
# Debian 12: sndfile-programs (libsndfile 1.2.0), ffmpeg (5.1).
set -euo pipefail
for program in sndfile-info ffmpeg; do
    command -v "$program" >/dev/null || apt-get install -y -qq sndfile-programs ffmpeg >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
ffmpeg -v error -f lavfi -i sine=d=2:r=8000 -f caf - > piped.caf
python3 - <<'P'
data = open('piped.caf', 'rb').read()
at = data.index(b'data') + 4
assert data[at:at + 8] == b'\xff' * 8, 'ffmpeg writes another size now'
open('sized.caf', 'wb').write(data[:at] + (len(data) - at - 8).to_bytes(8, 'big') + data[at + 8:])
P
dpkg-query -W libsndfile1 ffmpeg
piped=$(sndfile-info piped.caf 2>&1 | grep -c '^Duration' || true)
sized=$(sndfile-info sized.caf 2>&1 | sed -n 's/^Duration *: //p')
frames=$(ffprobe -v error -show_entries stream=duration -of csv=p=0 piped.caf)
echo "size -1: ffmpeg reads $frames s, libsndfile opens it: $([ "$piped" = 0 ] && echo no || echo yes); with the size: $sized"
[ "$piped" = 0 ] && [ "$sized" = 00:00:02.000 ]
