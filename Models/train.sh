#!/bin/sh
# Trains the default model: Models/train.sh CLIPS [options of earshot train]
#
# CLIPS is a folder with manifest.csv: 2,680 clips of 56 classes (file, label, split, group, licence, author,
# source_repo). Beside the model come its card, its log, its curves and a checkpoint; after Ctrl-C, the same
# command with --resume goes on. 49 minutes on 2 cores; the scores are in README.md and earshot-default.md.
#
# Left out of the classes, and used as sounds of no class: Noise and Hum (a model that is to stay quiet in noise must
# not have them as names), and Breathing, Cough, Knock, Laughter, Telephone, Whistling and Wind (fewer than
# six independent sources, nothing or two clips to validate with).
set -eu
clips=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/../build/release/bin/earshot" train \
    --data "$clips/manifest.csv" --output "$here/earshot-default.safetensors" \
    --distractors Noise,Hum,Breathing,Cough,Knock,Laughter,Telephone,Whistling,Wind \
    --width 48 --depths 2,2,2,2 --heads 2,4,8,16 \
    --epochs 22 --scenes-per-epoch 4000 --max-events 5 --batch 8 --rate 0.0003 --average 0.999 \
    --drop-path 0.05 --mixup 0 --weight-decay 0.05 --validate-every 4 --valid-scenes 200 --seed 1 \
    --threads 2 --licence "CC BY 4.0" "$@"
