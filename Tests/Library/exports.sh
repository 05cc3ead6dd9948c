#!/usr/bin/env bash
# The shared library exports the functions of its header, all of them, and nothing else. Debian's file of symbols has the same.
#   exports.sh LIBRARY HEADER SYMBOLS
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(grep -oE '^EARSHOT_API .*|^ +earshot_[a-z_]+\(.*' "$2" | grep -oE 'earshot_[a-z_]+\(' | tr -d '(' | sort -u)
[ "$(wc -l <<<"$declared")" -ge 30 ] || { echo "few functions are declared: $declared"; exit 1; }
diff <(echo "$declared") <(echo "$exported") || { echo "< declared, > exported"; exit 1; }
listed=$(grep -oE 'earshot_[a-z_]+@' "$3" | tr -d @ | sort)
diff <(echo "$declared") <(echo "$listed") || { echo "< declared, > in $3"; exit 1; }
echo "$(wc -l <<<"$exported") functions"
