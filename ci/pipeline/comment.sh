#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Comments on a pull request with what its gates reported, a comment a gate, which is rewritten.
#
#   ci/pipeline/comment.sh FOLDER
#
# FOLDER holds report-emulated/ and report-gpu/, or one of them, as render.sh made them of verdicts that
# anyone may have written. They are data here, never code: the number of the pull request counts only
# if that one is at the revision which was measured, and a text is cut to a comment's length.
# From the environment: GH_TOKEN, REPOSITORY (owner/name), HEAD_SHA and RUN_URL, all from the event,
# not from the folder; CONCLUSION, GitHub's own word for how the gate's run ended, or nothing.
# What the default branch's own gate says of the same results, which render.sh left as `judged`, is in
# the comment, and a status of the commit, which a branch's rules may ask for.
# What can be uploaded to code scanning is put into sarif/; GITHUB_OUTPUT says so, and the number.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 1)) || die "needs the folder of the reports" 64
folder=$1
: "${REPOSITORY:?}" "${HEAD_SHA:?}" "${RUN_URL:?}"
# GitHub refuses comments above 65,536 characters; Warpgauge's own are shorter than this.
longest=65000
largest_sarif=10000000

conclusion=${CONCLUSION:-}
[[ $conclusion =~ ^[a-z_]*$ ]] || die "CONCLUSION is no word of GitHub's" 64

number=
for gate in emulated gpu; do
  file=$folder/report-$gate/pull_request
  is_file "$file" || continue
  number=$(head -c 20 "$file" | tr -d '\0\n')
  [[ $number =~ ^[1-9][0-9]{0,8}$ ]] || die "report-$gate names no pull request"
  break
done
if [[ -z $number ]]; then
  echo "No gate left a report: nothing to comment."
  exit
fi
read -r head base default < <(gh api "repos/$REPOSITORY/pulls/$number" \
  --jq '[.head.sha, .base.ref, .base.repo.default_branch] | join(" ")') || true
if [[ $head != "$HEAD_SHA" ]]; then
  echo "Pull request $number is not at $HEAD_SHA, which was measured: it has moved on, or is another one."
  exit
fi

# judge_of FOLDER: sets `judged` to what the default branch's own gate says, empty where it said nothing, and `state` to
# what the status is to be.
# What would be merged elsewhere is held to baselines that nobody of the default branch has agreed to, as is
# what one of the gates says is of another pull request.
judge_of() {
  judged='' state=failure
  is_file "$1/judged" && is_file "$1/pull_request" && [[ $base == "$default" ]] || return 0
  [[ $(head -c 20 "$1/pull_request" | tr -d '\0\n') == "$number" ]] || return 0
  case $(head -c 6 "$1/judged" | tr -d '\0\n') in
  0) judged='pass' state=success ;;
  1) judged='regressed' ;;
  3) judged='no verdict' ;;
  none) judged="left out: by the change's own build no benchmark is affected" state=success ;;
  *) judged='not measured, or cannot be read' ;;
  esac
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for gate in emulated gpu; do
  summary=$folder/report-$gate/summary.md
  if ! is_file "$summary"; then
    [[ ! -d $folder/report-$gate ]] || echo "report-$gate has no summary: its job's log says why."
    continue
  fi
  mark="<!-- warpgauge:$gate -->"
  judge_of "$folder/report-$gate"
  # What this script itself says comes first, where nothing that follows can hide it. Cut before what
  # is no UTF-8 goes, such as half a character. A mark that nobody sees, behind each @ however it is
  # written, keeps it from calling anyone; a comment of HTML could swallow what follows.
  {
    printf '%s\n' "$mark"
    printf '**%s** of %s%s: [log](%s). The gate and policy of the default branch say of these results: %s. %s\n\n' \
      "$gate" "$HEAD_SHA" "${conclusion:+, run ended with $conclusion}" "$RUN_URL" \
      "**${judged:-nothing}**" 'What follows rests on what the measured code says.'
    head -c "$longest" "$summary" | tr -d '\0' |
      sed -E 's/@|&(#0*64|#x0*40|commat);?/@\xE2\x80\x8B/gI; s/<!--/\&lt;!--/g' | head -c "$longest" |
      iconv -c -f UTF-8 -t UTF-8 || true
    printf '\n'
  } >"$scratch/body"
  gh api --paginate "repos/$REPOSITORY/issues/$number/comments?per_page=100" --jq \
    ".[] | select(.user.login == \"github-actions[bot]\" and (.body | startswith(\"$mark\"))) | .id" \
    >"$scratch/comments"
  comment=$(head -n 1 "$scratch/comments")
  if [[ $comment ]]; then
    gh api --silent --method PATCH "repos/$REPOSITORY/issues/comments/$comment" --field "body=@$scratch/body"
  else
    gh api --silent --method POST "repos/$REPOSITORY/issues/$number/comments" --field "body=@$scratch/body"
  fi
  echo "Commented on pull request $number: $gate."
  gh api --silent --method POST "repos/$REPOSITORY/statuses/$HEAD_SHA" \
    --raw-field "context=warpgauge $gate, judged by the default branch" --raw-field "target_url=$RUN_URL" \
    --raw-field "state=$state" \
    --raw-field "description=${judged:-not judged: no results, a pull request that has moved on, or another base}"
  sarif=$folder/report-$gate/warpgauge.sarif
  if is_file "$sarif" && (($(stat --format %s "$sarif") <= largest_sarif)); then
    mkdir -p "sarif/$gate"
    cp "$sarif" "sarif/$gate/warpgauge.sarif"
    printf '%s=true\n' "$gate" >>"${GITHUB_OUTPUT:-/dev/null}"
  fi
done
printf 'number=%s\n' "$number" >>"${GITHUB_OUTPUT:-/dev/null}"
