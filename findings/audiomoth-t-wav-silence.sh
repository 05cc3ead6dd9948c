#!/usr/bin/env bash
# AudioMoth's T.WAV files (amplitude threshold or frequency trigger) are no plain WAV: quiet stretches are left out, and a block
# of 512 bytes stands for each. Its first 32 samples are +1 or -1, the bits of a count of 512-byte blocks, lowest first, then
# zeros. Nothing in the header says so: libsndfile, SoX and ffmpeg read the blocks as 32 ms of faint sound, and all later times
# are too early. Only the maker's library (and its Configuration App) knows the form; blocks begin at multiples of 512 bytes of the
# FILE, so that a copy with another header (ffmpeg -c copy) cannot be expanded any more.
# Debian 12: sox, nodejs, npm; npm: audiomoth-utils 1.8.0.
set -euo pipefail
for program in sox node npm; do
    command -v "$program" >/dev/null || apt-get install -y -qq sox nodejs npm >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
(cd "$work" && npm install --silent --no-audit --no-fund audiomoth-utils@1.8.0 >/dev/null)
cat > "$work/make.js" <<'J'
const fs = require('fs');
const chunk = (name, body) => Buffer.concat([Buffer.from(name), Buffer.from(Uint32Array.of(body.length).buffer), body]);
const text = (s, n) => { const b = Buffer.alloc(n); b.write(s); return b; };
const rate = 8000, sound = n => Buffer.from(Int16Array.from({length: n}, (_, i) => 8000 * Math.sin(i)).buffer);
const block = count => Buffer.from(Int16Array.from({length: 256}, (_, i) => i < 32 ? (count >>> i & 1 ? 1 : -1) : 0).buffer);
// 12 samples complete the first 512 bytes of the file; 1 s of sound, 10 s left out (312 blocks of 32 ms), 1 s of sound
const data = Buffer.concat([sound(12), sound(32 * 256), block(312), sound(32 * 256)]);
const fmt = Buffer.alloc(16);
fmt.writeUInt16LE(1, 0); fmt.writeUInt16LE(1, 2); fmt.writeUInt32LE(rate, 4); fmt.writeUInt32LE(2 * rate, 8);
fmt.writeUInt16LE(2, 12); fmt.writeUInt16LE(16, 14);
const info = Buffer.concat([Buffer.from('INFO'), chunk('ICMT', text('Recorded at 03:30:00 15/05/2026 (UTC) by AudioMoth ' +
    '0123456789ABCDEF at medium gain while battery was 4.6V and temperature was 17.7C.', 384)),
    chunk('IART', text('AudioMoth 0123456789ABCDEF', 32))]);
const body = Buffer.concat([Buffer.from('WAVE'), chunk('fmt ', fmt), chunk('LIST', info), chunk('data', data)]);
fs.writeFileSync('20260515_033000T.WAV', chunk('RIFF', body));
J
cd "$work"
node make.js
mkdir expanded
node -e "console.log(JSON.stringify(require('audiomoth-utils').expand('20260515_033000T.WAV', 'expanded', '', 'DURATION', 86400, false, false)))"
seconds() { sox --i -D "$1" 2>/dev/null; }
echo "$(sox --version), audiomoth-utils $(node -p "require('audiomoth-utils/package.json').version")"
stored=$(seconds 20260515_033000T.WAV) whole=$(seconds expanded/*.WAV)
echo "SoX reads the T.WAV as $stored s; the maker's tool makes $whole s of it"
awk -v s="$stored" -v w="$whole" 'BEGIN { exit !(s < 2.2 && w > 12.0 && w < 12.1) }'
