#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# slurm_test.sh SOURCE PROGRAMS
#
# The emulator's suite in 8 shards on a Slurm cluster of one node with 4 "GPUs", started for this
# test alone: some are killed in different ways, and the merged results are those of a whole run.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
programs=$2
for program in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v "$program" >/dev/null ||
    { echo "Not tested: there is no $program; ci/scripts/setup.sh nightly installs what the distribution has"; exit 0; }
done
export PATH=$PATH:/usr/sbin
# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"

scratch=$(mktemp -d)
host=$(uname -n)
host=${host%%.*}
failed=0
complain() {
  failed=1
  printf '%s\n' "$*"
}

started() { [[ -s $1 ]] && kill -0 "$(cat "$1" 2>/dev/null)" 2>/dev/null; }
stop() {
  ! started "$scratch/$1.pid" || kill "$(cat "$scratch/$1.pid")" 2>/dev/null || true
}
# shellcheck disable=SC2317  # the trap calls it
end_cluster() {
  local status=$?
  scancel --quiet --signal=KILL --full --user="$(id -un)" 2>/dev/null || true
  scancel --quiet --user="$(id -un)" 2>/dev/null || true
  wait_until 600 "no job is left" 'test -z "$(squeue --noheader 2>/dev/null)"' || true
  ((status == 0)) || tail -n 20 "$scratch"/*.log "$scratch"/out/*.log || true
  for daemon in slurmd slurmctld munged; do stop "$daemon"; done
  wait_until 600 "the daemons are gone" '! started "$scratch/slurmctld.pid" && ! started "$scratch/slurmd.pid"' || true
  rm -rf "$scratch"
}
trap end_cluster EXIT

# wait_until TENTHS WHAT CONDITION: CONDITION is a shell command.
wait_until() {
  for ((i = 0; i < $1; ++i)); do
    if eval "$3"; then return 0; fi
    sleep 0.1
  done
  complain "waited in vain until $2"
  return 1
}

# free_port FROM: a port of this machine that nobody listens on, of the ten thousand from there on.
free_port() {
  local port
  while port=$(($1 + RANDOM % 10000)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# Slurm takes only devices for GPUs. That none of these is one is never asked: no job is confined.
gpus=(/dev/null /dev/zero /dev/full /dev/random)
start_cluster() {
  mkdir "$scratch/state" "$scratch/spool"
  chmod 755 "$scratch"
  head -c 128 /dev/urandom >"$scratch/munge.key"
  chmod 600 "$scratch/munge.key"
  munged --force --socket="$scratch/munge.socket" --key-file="$scratch/munge.key" \
    --pid-file="$scratch/munged.pid" --seed-file="$scratch/munge.seed" --log-file="$scratch/munged.log"
  printf 'Name=gpu File=%s\n' "${gpus[@]}" >"$scratch/gres.conf"
  # cred_expire: as long a requeued job waits.
  cat >"$scratch/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port 10000)
SlurmdPort=$(free_port 20000)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
GresTypes=gpu
ReturnToService=2
KillWait=2
BatchStartTimeout=5
MessageTimeout=10
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
SlurmdParameters=config_overrides
NodeName=node NodeHostname=$host NodeAddr=127.0.0.1 CPUs=16 Gres=gpu:${#gpus[@]} State=UNKNOWN
PartitionName=test Nodes=node Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$scratch/slurm.conf
  slurmctld -c
  slurmd -N node
  wait_until 900 "the node is idle" 'sinfo --noheader --format=%T 2>/dev/null | grep -qx idle'
}

# What differs between any two runs of one suite: the time of day, the processor's clock, and how
# long the emulator itself took.
normalised() {
  sed -E 's/"(real_time|cpu_time)":[0-9.e+-]+/"\1":0/g; s/"(date|created)": "[^"]*"/"\1": ""/
    s/"mhz_per_cpu": [0-9]+/"mhz_per_cpu": 0/
    /"load_avg": \[/,/\]/d; s/"executable": "[^"]*"/"executable": ""/' "$1"
}

# pids_of WORDS: of the processes whose command lines have them, told by the folder of this test: a
# program, and the keeper of its suite, which it forked.
pids_of() {
  pgrep --full -- "$1" | while read -r pid; do
    ! tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "$scratch" || echo "$pid"
  done
}

# pid_of WORDS: of the program alone.
pid_of() {
  local pid all
  all=" $(pids_of "$1" | tr '\n' ' ')"
  for pid in $all; do
    [[ $all == *" $(ps -o ppid= -p "$pid" | tr -d ' ') "* ]] || echo "$pid"
  done
}

start_cluster

# Measures, and in the first start of some shards then hangs until it is killed. Says when two jobs
# have one GPU.
program "$scratch/suite" \
  'if [[ $* == *--warpgauge_pass=* ]]; then' \
  '  exec 9>"'"$scratch"'/gpu-${CUDA_VISIBLE_DEVICES?none was given}.lock"' \
  '  flock --nonblock 9 || echo "$SLURM_ARRAY_TASK_ID" >>"'"$scratch"'/shared"' \
  '  echo "$SLURM_ARRAY_TASK_ID ${SLURM_RESTART_COUNT:-0} $CUDA_VISIBLE_DEVICES" >>"'"$scratch"'/starts"' \
  '  "'"$programs"'/suite_emulated" "$@"' \
  '  if [[ " $VICTIMS " == *" $SLURM_ARRAY_TASK_ID "* && ! ${SLURM_RESTART_COUNT:-} ]]; then' \
  '    touch "'"$scratch"'/hangs-$SLURM_ARRAY_TASK_ID"' \
  '    exec sleep 600' \
  '  fi' \
  'else' \
  '  exec "'"$programs"'/suite_emulated" "$@"' \
  'fi'
cd "$source_root"
export WARPGAUGE=$programs/warpgauge
"$WARPGAUGE" run --quiet --suite "$programs/suite_emulated" --out "$scratch/whole.json" >/dev/null

export VICTIMS="3 5 8"
submitted=$(ci/slurm/submit.sh --shards 8 --out "$scratch/out" --job-name=fleet -- --suite "$scratch/suite")
[[ $submitted =~ ^Job\ ([0-9]+)\ measures\ 8\ shards ]] || complain "submit.sh said: $submitted"
job=${BASH_REMATCH[1]}
for shard in $VICTIMS; do
  wait_until 900 "shard $shard hangs" 'test -e "$scratch/hangs-$shard"'
done
[[ ! -e $scratch/out/results.json ]] || complain "merged before all shards were done"

# The program is killed outright, as when memory runs out; an operator requeues a task; of a third,
# all processes die together, as when its node does, which Slurm learns when the node comes back.
kill -KILL "$(pid_of "run .*--shard 3/8")"
scontrol requeue "${job}_5"
raw=$(squeue --noheader --array --format='%A %K' | awk '$2 == 8 { print $1 }')
stop slurmd
wait_until 600 "slurmd has ended" '! started "$scratch/slurmd.pid"'
stepd=$(pgrep --full -- "slurmstepd: \[$raw\.batch\]")
kill -STOP "$stepd"
mapfile -t run < <(pids_of "run .*--shard 8/8")
kill -KILL "$(pgrep --parent "$stepd")" "${run[@]}" "$stepd"
slurmd -N node
# A job that it lacks is given up only some seconds after its start.
wait_until 900 "Slurm misses what the node lost" \
  'scontrol reconfigure; jobs=$(squeue --noheader --states=running --format=%K) && ! grep -qx 8 <<<"$jobs"' || exit 1

wait_until 1200 "the shards are merged" 'test -e "$scratch/out/results.json"' || { squeue; exit 1; }
wait_until 600 "no job is left" 'jobs=$(squeue --noheader) && [[ ! $jobs ]]'

for shard in {1..8}; do
  expected=1
  [[ " $VICTIMS " != *" $shard "* ]] || expected=2
  got=$(grep -c "^$shard " "$scratch/starts")
  ((got == expected)) || complain "shard $shard was started $got times instead of $expected"
done
[[ ! -e $scratch/shared ]] || complain "jobs shared a GPU: $(sort -u "$scratch/shared")"
used=$(awk '{ print $3 }' "$scratch/starts" | sort -u | wc -l)
((used == ${#gpus[@]})) || complain "$used GPUs were used of ${#gpus[@]}"
diff <(normalised "$scratch/whole.json") <(normalised "$scratch/out/results.json") >"$scratch/difference" ||
  complain "merged, they are not the whole run: $(head -n 5 "$scratch/difference")"
benchmarks=$(grep -c '^{"name"' "$scratch/out/results.json")
((failed)) || printf '%d benchmarks in 8 shards on %d GPUs, %d starts: nothing lost, nothing twice\n' "$benchmarks" "$used" "$(wc -l <"$scratch/starts")"

# A shard that cannot be measured keeps the merge from starting, and --wait says so.
export VICTIMS=
status=0
said=$(ci/slurm/submit.sh --shards 2 --out "$scratch/broken" --wait -- --suite /nowhere 2>&1) || status=$?
((status != 0)) || complain "submit.sh --wait ended with 0 though no shard could be measured: $said"
[[ ! -e $scratch/broken/results.json ]] || complain "there are results of shards that failed"
# Nor do those pass for its own that another submission merges into the same folder meanwhile.
program "$scratch/late" 'touch "'"$scratch"'/broken/results.json"' 'exit 1'
status=0
said=$(ci/slurm/submit.sh --shards 2 --out "$scratch/broken" --wait -- --suite "$scratch/late" 2>&1) || status=$?
[[ -e $scratch/broken/results.json ]] || complain "there are no results of another submission"
((status != 0)) || complain "submit.sh --wait ended with 0 on the results of another submission: $said"
status=0
said=$(ci/slurm/submit.sh --shards=2 --out="$scratch/out" --wait -- --suite "$scratch/suite" 2>&1) || status=$?
((status == 0)) || complain "submit.sh --wait ended with $status: $said"
[[ $said == "Job "*" measures 2 shards; when all are done they become $scratch/out/results.json" ]] ||
  complain "submit.sh --shards=2 --out=FOLDER said: $said"
diff <(normalised "$scratch/whole.json") <(normalised "$scratch/out/results.json") >/dev/null ||
  complain "submitted again into the same folder, the results are not those of this submission"
logs=("$scratch"/out/shard-"$job"-*.log)
((${#logs[@]} == 8)) || complain "the first submission has these logs of shards: ${logs[*]}"
[[ -s $scratch/out/merge-$job.log ]] || complain "the first submission has no log of its merge"
[[ $said =~ ^Job\ ([0-9]+) && -s $scratch/out/merge-${BASH_REMATCH[1]}.log ]] ||
  complain "the second submission has no log of its merge"
diff <(normalised "$scratch/whole.json") <(normalised "$scratch/out/shards-$job/results.json") >/dev/null ||
  complain "submitted again into the same folder, the results of the first submission are lost"
for wrong in "--suite x" "--shards 0 -- --suite x" "--shards=0 -- --suite x" "--out= -- --suite x" \
  "--shards 2 -- --suite x --out y" "--shards"; do
  status=0
  # shellcheck disable=SC2086  # several words
  ci/slurm/submit.sh $wrong >/dev/null 2>&1 || status=$?
  ((status == 64)) || complain "submit.sh $wrong ended with $status instead of 64"
done
exit "$failed"
