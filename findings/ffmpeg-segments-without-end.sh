#!/usr/bin/env bash
# Opus files that ffmpeg's segment muxer writes, as round-the-clock recorders use it, have no end-of-stream flag on their last page,
# not even the last file. A reader that calls a file without the flag cut takes all of them for damaged. It is also
# worse than it looks: where the last page is shortened (its granule position lies before the end of its packets), the shortening
# is legal on a flagged page alone, and libsndfile ends such a file with an error instead of its last samples.
# Setting the flag (and the page's checksum) in memory makes both read it.
# Debian 12: ffmpeg (5.1), sndfile-programs (libsndfile 1.2.0).
set -euo pipefail
for program in sndfile-info ffmpeg; do
    command -v "$program" >/dev/null || apt-get install -y -qq sndfile-programs ffmpeg >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
ffmpeg -version | head -1
ffmpeg -v error -f lavfi -i sine=d=25:r=48000 -c:a libopus -f segment -segment_time 10 part%d.opus
ffmpeg -v error -f lavfi -i sine=d=5.003:r=48000 -c:a libopus whole.opus
python3 - <<'P'
import os, subprocess, sys
def pages(data):
    at = 0
    while at < len(data):
        bytes = 27 + data[at + 26] + sum(data[at + 27:at + 27 + data[at + 26]])
        yield at, bytes
        at += bytes
def crc(page):
    value = 0
    for byte in page:
        value ^= byte << 24
        for _ in range(8): value = ((value << 1) ^ (0x04c11db7 if value >> 31 else 0)) & 0xffffffff
    return value
flags = []
for i in range(3):
    data = open(f'part{i}.opus', 'rb').read()
    at, _ = list(pages(data))[-1]
    flags.append(bool(data[at + 5] & 4))
data = bytearray(open('whole.opus', 'rb').read())
at, bytes = list(pages(data))[-1]
data[at + 5] &= ~4
data[at + 22:at + 26] = b'\0' * 4
data[at + 22:at + 26] = crc(data[at:at + bytes]).to_bytes(4, 'little')
open('unmarked.opus', 'wb').write(data)
def read(name):
    done = subprocess.run(['sndfile-convert', '-pcm16', name, 'out.wav'], capture_output=True, text=True)
    return done.returncode, os.path.getsize('out.wav') if os.path.exists('out.wav') else 0
marked, unmarked = read('whole.opus'), read('unmarked.opus')
print(f'end flags of three segments: {flags}; whole file: {marked}, without its flag: {unmarked} (exit code, bytes of WAV)')
sys.exit(not (flags[:2] == [False, False] and unmarked[1] < marked[1]))
P
