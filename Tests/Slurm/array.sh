#!/usr/bin/env bash
# array.sh EARSHOT SCRIPT NOISE: runs SCRIPT as a job array of four over a few small recordings, merges the shards and
# compares with one run of EARSHOT, byte for byte. Slurm's and munge's daemons are its own: a key, sockets, ports and
# folders of this run, stopped in any case. NOISE is any file of some 400 kB: its bytes become recordings.
set -euo pipefail
earshot=$(realpath "$1") script=$(realpath "$2") noise=$(realpath "$3")
. "$(dirname "$0")/../Hosts/common.sh"
need munged slurmctld slurmd sbatch sinfo scontrol
skip() {
    echo "skipped: $1"
    [ -z "${2:-}" ] || tail -20 "$2"
    exit 4
}

# Two seconds of 16 bit noise at 16 kHz each.
wav() {
    mkdir -p "$(dirname "$2")"
    {
        printf 'RIFF\x24\xfa\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data\x00\xfa\x00\x00'
        tail -c +$((2000 + $1 * 64000)) "$noise" | head -c 64000
    } >"$2" 2>/dev/null || true
    [ "$(stat -c %s "$2")" = 64044 ] || fail "no recording $1 from $noise"
}
archive=$folder/archive
for i in 0 1 2 3 4 5; do wav $i "$archive/disc $((i % 2))/take $i.wav"; done
chmod 755 "$folder"

# Where nothing else listens.
port() {
    local port
    for _ in $(seq 50); do
        port=$((20000 + RANDOM % 40000))
        if ! (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; then
            echo $port
            return
        fi
    done
}

mkdir -p "$folder"/{munge,state,spool,log}
chmod 700 "$folder/munge"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 600 "$folder/munge/key"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" --log-file="$folder/munge/log" \
    --num-threads=2 >"$folder/log/munged" 2>&1 &
until_true 10 test -S "$folder/munge/socket" || skip "munged does not run here" "$folder/log/munged"

host=$(hostname -s)
user=$(id -un)
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=earshot
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$(port)
SlurmdPort=$(port)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
MaxArraySize=16
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld -D >"$folder/log/slurmctld.out" 2>&1 &
slurmd -D -N "$host" >"$folder/log/slurmd.out" 2>&1 &
ready() { sinfo -h -o %T | grep -qE '^(idle|mixed|allocated)'; }
until_true 40 ready || skip "Slurm's daemons do not run here: $(tail -3 "$folder/log/slurmd.out" "$folder/log/slurmctld.out")"

options=(--format csv,raven --joined csv,sqlite --threshold 0.001)
job=$(EARSHOT=$earshot sbatch --parsable --array=0-3 --cpus-per-task=1 --mem=0 --time=10 --chdir="$folder" \
    --output="$folder/log/task-%a" "$script" "$archive" "$folder/results" "${options[@]}") || fail "sbatch refuses the script"
over() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
until_true 200 over || fail "the job array does not end" "$folder/log/slurmd"
"$earshot" merge "$folder/results" || { cat "$folder"/log/task-* || true; fail "the shards do not merge" "$folder/log/slurmd"; }

"$earshot" analyze "$archive" --output-dir "$folder/whole" "${options[@]}"
diff -r --exclude=.earshot --exclude='shard-*' "$folder/whole" "$folder/results" || fail "the merged folder differs"
[ "$(ls -d "$folder"/results/shard-*-of-4 | wc -l)" = 4 ] || fail "there are not four shards"
[ -s "$folder/results/events.sqlite" ] && [ -s "$folder/results/disc 1/take 5.wav.csv" ] || fail "results are missing"
echo "four tasks of a Slurm job array made what one run makes"
