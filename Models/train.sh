#!/bin/sh
# Trains the default model: Models/train.sh CLIPS HARVEST TEACHER [FOLDER]
#
# CLIPS is a folder with manifest.csv: 8,767 recordings (file, label, split, group, source_type, licence, author,
# source_repo). HARVEST is what harvest/harvest.py makes with --beside CLIPS/manifest.csv. TEACHER has what a teacher
# says of all of them: soft.npy and embeddings.npy, each with its CSV (NOTES.md says how they were made).
# FOLDER (default: build/models) gets the models, their cards, logs, curves and checkpoints; after Ctrl-C, the same
# command goes on. How long it takes and the scores are in README.md and earshot-default.md.
#
# Twelve trainings; each begins with the weights of the one before.
# - first, narrow: 41 classes of the 2,680 recordings in the folder clips, in steps of 0.32 s. The first from first
#   values, with sounds that differ from their recordings twice as much as usual; the second, short and at a lower rate,
#   with sounds nearly as they were recorded.
# - wide, wider: 82 classes of all recordings, but for share-alike and GPL ones, in steps of 0.08 s.
# - near, nearer: short and at a lower rate, with sounds nearly as they were recorded; the last second of each window,
#   which live notes wait for, weighs more.
# - long, between them: the longest, with sounds that differ from their recordings twice as much as usual.
# - more, most: as long, with share-alike and GPL recordings too. Only those of GPL 2 without "or later" are left out,
#   because they do not go with the licence of the weights. In most some sounds begin in the last second of a scene.
# - settled: as nearer, with the same recordings.
# - taught: with the corrected labels, the recordings of HARVEST, and the teacher.
# - earshot-default: likewise; short and at a lower rate, with sounds nearly as they were recorded.
#
# Never classes, but sounds of no class: Noise and Hum (a model that is to stay quiet in noise must not have them as
# names), Animal (of no kind in particular), and those with at most five independent sources to learn from and one to
# validate with. README.md says why the first two trainings leave out more.
set -eu
clips=$1
harvest=$2
teacher=$3
here=$(cd "$(dirname "$0")" && pwd)
folder=${4:-$here/../build/models}
mkdir -p "$folder"
sed -n '1p; /^clips\//p' "$clips/manifest.csv" | sed "s|^clips/|$(cd "$clips" && pwd)/clips/|" > "$folder/narrow.csv"
narrow_others="Noise,Hum,Breathing,Cough,Knock,Laughter,Telephone,Whistling,Wind"
narrow_others="$narrow_others,Animal,Cymbal,Engine,Gunshot, explosion,Hand clap,Train"
wide_others="Noise,Hum,Animal,Aircraft,Didgeridoo,Electric piano,Frog,Pig,Pizzicato,Siren,Telephone,Woodwind"

absolute() { sed -e '/,GPL-2.0,/d' -e "1!s|^|$(cd "$clips" && pwd)/|"; }
absolute < "$clips/manifest.csv" > "$folder/all.csv"
"$here/labels/apply.py" "$clips/manifest.csv" "$here/labels/changes.csv" | absolute > "$folder/changed.csv"

valid_scenes=200
# train NAME OPTIONS...: unless its card, which is written last, is there
train() {
    model=$folder/$1
    shift
    if [ -e "$model.md" ]; then return; fi
    resume=
    if [ -e "$model.training.safetensors" ]; then resume=--resume; fi
    "$here/../build/release/bin/earshot" train --output "$model.safetensors" $resume --batch 8 \
        --average 0.999 --valid-scenes "$valid_scenes" --threads 2 --max-events 4 --lowest-snr 3 --level-spread 10 \
        --weight-decay 0.1 "$@"
}
narrow() {
    train "$@" --data "$folder/narrow.csv" --distractors "$narrow_others" --scenes-per-epoch 4000 --drop-path 0.15 \
        --licence "CC BY 4.0"
}
wide() {
    train "$@" --data "$clips/manifest.csv" --distractors "$wide_others" --fewest-clips 3 --without-licences BY-SA,GPL \
        --licence "CC BY 4.0"
}
all() {
    train "$@" --data "$folder/all.csv" --distractors "$wide_others" --fewest-clips 3 --licence "GPL-3.0-only"
}
taught() {
    train "$@" --data "$folder/changed.csv" "$harvest/manifest.csv" --distractors "$wide_others" --fewest-clips 3 \
        --licence "GPL-3.0-only" --drop-path 0.1 --unfreeze-over 0 --scenes-per-epoch 6000 \
        --soft-labels "$teacher/soft.npy" --embeddings "$teacher/embeddings.npy" \
        --teacher "EfficientAT mn04_as (F. Schmid et al., ICASSP 2023), MIT"
}

narrow first --width 40 --depths 2,2,4,2 --heads 2,4,8,16 --epochs 80 --rate 0.0003 --variation 2 --validate-every 8 \
    --seed 1
narrow narrow --from "$folder/first.safetensors" --unfreeze-over 0 --epochs 4 --rate 0.0001 --variation 0.5 \
    --validate-every 1 --seed 6
wide wide --from "$folder/narrow.safetensors" --unfreeze-over 0.1 --fine-head 96,2 --epochs 16 --scenes-per-epoch 4000 \
    --rate 0.0003 --variation 1.5 --drop-path 0.15 --validate-every 2 --seed 1
wide wider --from "$folder/wide.safetensors" --unfreeze-over 0 --epochs 18 --scenes-per-epoch 4000 --rate 0.0003 \
    --variation 1.2 --drop-path 0.1 --validate-every 6 --seed 3
wide near --from "$folder/wider.safetensors" --unfreeze-over 0 --epochs 1 --scenes-per-epoch 6000 --rate 0.0001 \
    --variation 0.5 --newest-weight 3 --drop-path 0.1 --validate-every 1 --seed 4
wide long --from "$folder/near.safetensors" --unfreeze-over 0 --epochs 70 --scenes-per-epoch 4000 --rate 0.0003 \
    --variation 2 --drop-path 0.1 --validate-every 7 --seed 5
valid_scenes=600 # three times as many choose thresholds and teach boxes
wide nearer --from "$folder/long.safetensors" --unfreeze-over 0 --epochs 2 --scenes-per-epoch 6000 --rate 0.0001 \
    --variation 0.5 --newest-weight 3 --drop-path 0.1 --validate-every 1 --seed 4
valid_scenes=200
all more --from "$folder/nearer.safetensors" --unfreeze-over 0 --epochs 15 --scenes-per-epoch 4000 --rate 0.0003 \
    --variation 2 --drop-path 0.1 --validate-every 5 --seed 7
all most --from "$folder/more.safetensors" --unfreeze-over 0 --epochs 24 --scenes-per-epoch 4000 --rate 0.0003 \
    --variation 2 --late-onsets 0.15 --drop-path 0.1 --validate-every 8 --seed 9
valid_scenes=600
all settled --from "$folder/most.safetensors" --unfreeze-over 0 --epochs 2 --scenes-per-epoch 6000 --rate 0.0001 \
    --variation 0.5 --newest-weight 3 --drop-path 0.1 --validate-every 1 --seed 4
valid_scenes=200
taught taught --from "$folder/settled.safetensors" --epochs 8 --rate 0.0003 --variation 2 --late-onsets 0.15 \
    --clean-clips 0.15 --validate-every 4 --seed 11
valid_scenes=600
taught earshot-default --from "$folder/taught.safetensors" --epochs 2 --rate 0.0001 --variation 0.5 --newest-weight 3 \
    --clean-clips 0.1 --validate-every 1 --seed 4
