#!/bin/sh
# Sync repositories into a folder inside a git work tree, and commit what came of it.
#
#   sync-and-commit.sh ROOT OWNER/REPO...
#
# Commits on exit 0 (proven complete) and 3 (complete but for what is named), on nothing else.
# census.json says how fresh the copy is and changes with every run: it is committed together with
# content, and by itself at most once a day. Ends with the status of `syncer sync`, or 7 where git
# failed. Set SYNC_OPTIONS for more options of `syncer sync`, and SYNC_PUSH=1 to push as well.
set -u

root=${1:?usage: sync-and-commit.sh ROOT OWNER/REPO...}
shift
: "${1:?usage: sync-and-commit.sh ROOT OWNER/REPO...}"

# shellcheck disable=SC2086  # the options are words
syncer sync "$@" --root "$root" --json ${SYNC_OPTIONS-}
status=$?
case $status in
0 | 3) ;;
*) exit "$status" ;;
esac

cd "$root" || exit 7
content=$(git status --porcelain --untracked-files=all -- . ':(exclude,glob)**/census.json') || exit 7
if [ -z "$content" ]; then
    committed=$(git log -1 --format=%ct -- ':(glob)**/census.json' 2>/dev/null) || committed=
    [ $(($(date +%s) - ${committed:-0})) -ge 86400 ] || exit "$status"
fi
git add --all -- . || exit 7
if ! git diff --cached --quiet -- .; then
    git commit --quiet --message "Sync $*" -- . || exit 7
fi
if [ "${SYNC_PUSH-}" = 1 ]; then
    git push --quiet || exit 7
fi
exit "$status"
