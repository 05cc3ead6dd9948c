#!/bin/sh
# Trains the default model: Models/train.sh CLIPS [FOLDER]
#
# CLIPS is a folder with manifest.csv: 2,680 clips of 56 classes (file, label, split, group, licence, author,
# source_repo). FOLDER (default: build/models) gets the models, their cards, logs, curves and checkpoints; after
# Ctrl-C, the same command goes on. How long it takes and the scores are in README.md and earshot-default.md.
#
# Two trainings. The first from first values, with sounds that differ from their recordings twice as much as usual;
# the last, short and at a lower rate, from there with sounds nearly as they were recorded.
#
# Never classes, but sounds of no class: Noise and Hum (a model that is to stay quiet in noise must not have them as
# names), Breathing, Cough, Knock, Laughter, Telephone, Whistling and Wind (fewer than six independent sources,
# nothing or two clips to validate with), Animal, Cymbal, Engine, "Gunshot, explosion" and Train (hardly ever found in
# validation scenes) and Hand clap (nothing to validate with).
set -eu
clips=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-$here/../build/models}
mkdir -p "$folder"
others="Noise,Hum,Breathing,Cough,Knock,Laughter,Telephone,Whistling,Wind"
others="$others,Animal,Cymbal,Engine,Gunshot, explosion,Hand clap,Train"

# train NAME OPTIONS...: unless its card, which is written last, is there
train() {
    model=$folder/$1
    shift
    if [ -e "$model.md" ]; then return; fi
    resume=
    if [ -e "$model.training.safetensors" ]; then resume=--resume; fi
    "$here/../build/release/bin/earshot" train --data "$clips/manifest.csv" --output "$model.safetensors" $resume \
        --distractors "$others" --scenes-per-epoch 4000 --batch 8 --average 0.999 --valid-scenes 200 --threads 2 \
        --max-events 4 --lowest-snr 3 --level-spread 10 --drop-path 0.15 --weight-decay 0.1 --licence "CC BY 4.0" "$@"
}

train first --width 40 --depths 2,2,4,2 --heads 2,4,8,16 --epochs 80 --rate 0.0003 --variation 2 --validate-every 8 \
    --seed 1
train earshot-default --from "$folder/first.safetensors" --unfreeze-over 0 --epochs 4 --rate 0.0001 --variation 0.5 \
    --validate-every 1 --seed 6
