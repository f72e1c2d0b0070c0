# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What approve.sh and approve_code.sh share. To be sourced, after common.sh, in the root.

# fetch_results RUN: sets `results` to what the gates of a run left, in untrusted/report-*/results.json.
fetch_results() {
  local gate
  ci/pipeline/fetch_reports.sh "$1" untrusted
  results=()
  for gate in emulated gpu; do
    ! is_file "untrusted/report-$gate/results.json" || results+=("untrusted/report-$gate/results.json")
  done
}

# check_plain CHANGE: what is read and written of a change, its baselines and its policy, is files in
# folders. A link could lead to anything that this job can read or write.
check_plain() {
  local odd
  odd=$(find "$1/baselines" "$1/ci" "$1/ci/policy.toml" -maxdepth 0 -type l 2>/dev/null || true)
  [[ $odd ]] || odd=$(find "$1/baselines" "$1/ci/policy.toml" ! -type d ! -type f 2>/dev/null || true)
  [[ ! $odd ]] || die "the change has what is neither a file nor a folder where its baselines and policy belong: $(
    head -n 1 <<<"${odd#"$1/"}" | tr -cd '[:alnum:]/._-')"
}

# approve_results CHANGE NAME REASON [OPTION...]: makes `results` the baselines of the clone CHANGE, as NAME,
# and leaves the edit as baselines.patch, which may be empty. What is in CHANGE and in the results is data.
approve_results() {
  local change=$1 name=$2 reason=$3 each
  shift 3
  check_plain "$change"
  build_warpgauge

  # As whom the baseline names; see `warpgauge baseline show`.
  git config --global user.name "$name"
  git config --global user.email "$name@users.noreply.github.com"
  for each in "${results[@]}"; do
    "${build:?source common.sh first}/bin/warpgauge" approve "$each" "$@" --baselines "$change/baselines" \
      --policy "$change/ci/policy.toml" --reason "$reason"
  done
  git -C "$change" add --all baselines
  git -C "$change" diff --cached --binary >baselines.patch
}
