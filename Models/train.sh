#!/bin/sh
# Trains the default model: Models/train.sh CLIPS [FOLDER]
#
# CLIPS is a folder with manifest.csv: 2,680 clips of 56 classes (file, label, split, group, licence, author,
# source_repo). FOLDER (default: build/models) gets the model, its card, its log, its curves and a checkpoint; after
# Ctrl-C, the same command goes on. It takes about two hours on 2 cores; the scores are in README.md and
# earshot-default.md.
#
# Two trainings: the first from nothing, in dense scenes; the second goes on from it at the full rate again, in scenes
# whose sounds are better to hear, through random filters.
#
# Left out of the classes, and used as sounds of no class: Noise and Hum (a model that is to stay quiet in noise must
# not have them as names), and Breathing, Cough, Knock, Laughter, Telephone, Whistling and Wind (fewer than
# six independent sources, nothing or two clips to validate with).
set -eu
clips=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-$here/../build/models}
mkdir -p "$folder"

# train NAME OPTIONS...: unless its card, which is written last, is there
train() {
    model=$folder/$1
    shift
    if [ -e "$model.md" ]; then return; fi
    resume=
    if [ -e "$model.training.safetensors" ]; then resume=--resume; fi
    "$here/../build/release/bin/earshot" train --data "$clips/manifest.csv" --output "$model.safetensors" $resume \
        --distractors Noise,Hum,Breathing,Cough,Knock,Laughter,Telephone,Whistling,Wind \
        --scenes-per-epoch 4000 --batch 8 --rate 0.0003 --average 0.999 --drop-path 0.05 --valid-scenes 200 \
        --threads 2 --licence "CC BY 4.0" "$@"
}

train first --width 48 --depths 2,2,2,2 --heads 2,4,8,16 --epochs 22 --max-events 5 --filter-range 0 \
    --validate-every 4 --seed 1
train earshot-default --from "$folder/first.safetensors" --unfreeze-over 0 --epochs 26 --max-events 4 \
    --lowest-snr 3 --level-spread 10 --validate-every 3 --seed 2
