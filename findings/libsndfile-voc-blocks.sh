#!/usr/bin/env bash
# libsndfile reads the headers of VOC blocks as sound, without an error. A VOC file holds its sound in blocks; ffmpeg writes one block
# of type 9 and then blocks of type 2 ("more of the same") for each packet, with headers of 4 bytes. libsndfile logs "Seems to be a
# multi-segment file" and takes all to the end of the file for samples: with 16 bits and an odd number of stray bytes the
# samples behind are shifted by a byte, which is loud noise. With 8 bits (types 1 and 8) it refuses several blocks instead.
# Debian 12: sndfile-programs (libsndfile 1.2.0), ffmpeg (5.1).
set -euo pipefail
for program in sndfile-convert ffmpeg; do
    command -v "$program" >/dev/null || apt-get install -y -qq sndfile-programs ffmpeg >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
ffmpeg -v error -f lavfi -i sine=d=4:r=8000 -c:a pcm_s16le right.wav
ffmpeg -v error -i right.wav sound.voc
sndfile-convert sound.voc read.wav
ffmpeg -version | head -1
python3 - <<'P'
import struct, wave, sys
def samples(name):
    with wave.open(name) as w:
        return struct.unpack('<%dh' % w.getnframes(), w.readframes(w.getnframes()))
right, read = samples('right.wav'), samples('read.wav')
data, at, kinds = open('sound.voc', 'rb').read(), 26, []
while at + 4 <= len(data) and data[at]:
    kinds.append(data[at]); at += 4 + int.from_bytes(data[at + 1:at + 4], 'little')
wrong = sum(a != b for a, b in zip(right, read))
print(f'{len(kinds)} blocks of types {sorted(set(kinds))}; libsndfile reads {len(read)} samples for {len(right)}, {wrong} of them wrong')
sys.exit(not (len(kinds) > 1 and len(read) > len(right) and wrong > len(right) // 2))
P
