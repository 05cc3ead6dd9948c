#!/bin/sh
# Trains the default model: Models/train.sh CLIPS [FOLDER]
#
# CLIPS is a folder with manifest.csv: 2,680 clips of 56 classes (file, label, split, group, licence, author,
# source_repo). FOLDER (default: build/models) gets the models, their cards, logs, curves and checkpoints; after
# Ctrl-C, the same command goes on. How long it takes and the scores are in README.md and earshot-default.md.
#
# Four trainings, each from the one before. The first from first values, in dense scenes; the second at the full rate
# again, in scenes whose sounds are better to hear, through random filters; the third with sounds that differ from
# their recordings twice as much; the last, short and at a lower rate, with sounds nearly as they were recorded, and
# without the classes that do not validate.
#
# Never classes, but sounds of no class: Noise and Hum (a model that is to stay quiet in noise must not have them as
# names), and Breathing, Cough, Knock, Laughter, Telephone, Whistling and Wind (fewer than six independent sources,
# nothing or two clips to validate with). In the last training also Animal, Cymbal, Engine, "Gunshot, explosion" and
# Train (hardly ever found in validation scenes) and Hand clap (nothing to validate with).
set -eu
clips=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-$here/../build/models}
mkdir -p "$folder"
others="Noise,Hum,Breathing,Cough,Knock,Laughter,Telephone,Whistling,Wind"

# train NAME DISTRACTORS OPTIONS...: unless its card, which is written last, is there
train() {
    model=$folder/$1
    distractors=$2
    shift 2
    if [ -e "$model.md" ]; then return; fi
    resume=
    if [ -e "$model.training.safetensors" ]; then resume=--resume; fi
    "$here/../build/release/bin/earshot" train --data "$clips/manifest.csv" --output "$model.safetensors" $resume \
        --distractors "$distractors" --scenes-per-epoch 4000 --batch 8 --average 0.999 --valid-scenes 200 \
        --threads 2 --licence "CC BY 4.0" "$@"
}

# further NAME START DISTRACTORS OPTIONS...
further() {
    name=$1
    start=$2
    distractors=$3
    shift 3
    train "$name" "$distractors" --from "$folder/$start.safetensors" --unfreeze-over 0 --max-events 4 --lowest-snr 3 \
        --level-spread 10 "$@"
}

train first "$others" --width 48 --depths 2,2,2,2 --heads 2,4,8,16 --epochs 22 --rate 0.0003 --drop-path 0.05 \
    --max-events 5 --filter-range 0 --validate-every 4 --seed 1
further second first "$others" --epochs 26 --rate 0.0003 --drop-path 0.05 --validate-every 3 --seed 2
further third second "$others" --epochs 16 --rate 0.0003 --drop-path 0.1 --weight-decay 0.1 --variation 2 \
    --validate-every 2 --seed 4
further earshot-default third "$others,Animal,Cymbal,Engine,Gunshot, explosion,Hand clap,Train" --epochs 4 \
    --rate 0.0001 --drop-path 0.1 --weight-decay 0.1 --variation 0.5 --validate-every 1 --seed 6
