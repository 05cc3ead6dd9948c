#!/usr/bin/env bash
# Copying integer sound through libsndfile's float or double calls changes half of the samples by one. Reading divides by 32768, so that
# every 16-bit value is exact; writing multiplies by 32767 and rounds, so that a file that is read with sf_readf_double and written
# with sf_writef_double (the obvious loop for cutting or joining files, also that of bindings) is no copy. The same with 24 bits, in WAV and in FLAC.
# Exact are sf_readf_int and sf_writef_int, and multiplying by 2^(bits-1) before sf_writef_int.
# Debian 12: libsndfile1 (1.2.0), python3.
set -euo pipefail
ldconfig -p | grep -q 'libsndfile\.so\.1' || apt-get install -y -qq libsndfile1 >/dev/null
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - <<'P'
import ctypes, sys
library = ctypes.CDLL('libsndfile.so.1')
library.sf_version_string.restype = ctypes.c_char_p
library.sf_open.restype = ctypes.c_void_p
print(library.sf_version_string().decode())
class Info(ctypes.Structure):
    _fields_ = [('frames', ctypes.c_int64)] + [(name, ctypes.c_int) for name in
                ('samplerate', 'channels', 'format', 'sections', 'seekable')]
READ, WRITE = 0x10, 0x20
def move(mode, call, array, form=0):
    info = Info(0, 48000, 1, form, 0, 0)
    file = ctypes.c_void_p(library.sf_open(b'sound', mode, ctypes.byref(info)))
    done = library[call](file, array, ctypes.c_int64(len(array)))
    library.sf_close(file)
    assert done == len(array), (call, done)
as_found = True
for name, form, bits, step in (('WAV 16', 0x010002, 16, 1), ('FLAC 16', 0x170002, 16, 1), ('WAV 24', 0x010003, 24, 997)):
    values = range(-2 ** (bits - 1), 2 ** (bits - 1), step)
    integers = (ctypes.c_int * len(values))(*[value << (32 - bits) for value in values])
    doubles, copied, exact = (ctypes.c_double * len(values))(), (ctypes.c_int * len(values))(), (ctypes.c_int * len(values))()
    move(WRITE, 'sf_writef_int', integers, form)
    move(READ, 'sf_readf_int', exact)
    move(READ, 'sf_readf_double', doubles)
    move(WRITE, 'sf_writef_double', doubles, form)
    move(READ, 'sf_readf_int', copied)
    wrong = sum(a != b for a, b in zip(integers, copied))
    print(f'{name} bit: {wrong} of {len(values)} values differ after a copy in double, {sum(a != b for a, b in zip(integers, exact))} after one in int')
    as_found = as_found and wrong > len(values) // 3 and list(exact) == list(integers)
sys.exit(not as_found)
P
