#!/usr/bin/env bash
# `cmake --install` puts the documents where their links lead, and zsh's completion where zsh looks for it, with all
# licences.
#   install.sh CMAKE BUILD
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset DESTDIR
for component in earshot earshot-data unpackaged; do
    "$1" --install "$2" --prefix "$folder" --component $component >/dev/null
done
[ -s "$folder/share/zsh/site-functions/_earshot" ] || { echo "no completion for zsh"; exit 1; }
for licence in "Files: Models/others" "License: GPT-2"; do
    grep -q "^$licence" "$folder/share/doc/earshot/copyright" || { echo "the copyright has no '$licence'"; exit 1; }
done
links=0 broken=0
while IFS=: read -r page link; do
    links=$((links + 1))
    if [ ! -e "$(dirname "$page")/$link" ]; then
        echo "${page#"$folder"/} leads to $link, which is not there"
        broken=$((broken + 1))
    fi
done < <(grep -roP --include='*.md' '\]\(\K(?!https:)[^)#\s]+' "$folder")
echo "$links links, $broken broken"
[ $links -gt 40 ] && [ $broken = 0 ]
