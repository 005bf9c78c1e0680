#!/bin/sh
# Writes the fixture of a workspace that assent 0.4.0 wrote, with the user folder of
# the person who wrote it. Run it with the program of 0.4.0:
#
#	make.sh /path/to/assent-0.4.0
#
# It writes workspace.tar.gz (bare repository, user folder, checkpoint) beside itself.
# The keys in it were made for this fixture, have no passphrase and open nothing else.
set -e
assent=$1
here=$(cd "$(dirname "$0")" && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"

export HOME=$top/fixture XDG_CONFIG_HOME=$top/fixture/.config ASSENT_HOME=$top/fixture/home
export GIT_CONFIG_GLOBAL=$top/fixture/.gitconfig GIT_CONFIG_NOSYSTEM=1
mkdir -p "$ASSENT_HOME"
git config --global user.name Ada
git config --global user.email ada@example.org
git config --global init.defaultBranch main
keys=$ASSENT_HOME/keys

id() { sed -n 's/^  "id": "\(.*\)",\{0,1\}$/\1/p' | head -n 1; }
step() { "$assent" "$@" >"$top/out" 2>&1 || { echo "assent $*" >&2; cat "$top/out" >&2; exit 1; }; }
refused() { if "$assent" "$@" >"$top/out" 2>&1; then echo "assent $* was not refused" >&2; exit 1; fi; }
proposes() { "$assent" "$@" --json >"$top/out" 2>&1 || { echo "assent $*" >&2; cat "$top/out" >&2; exit 1; }; id <"$top/out"; }

skill() { # FOLDER NAME TEXT
	mkdir -p "$top/$1"
	cat >"$top/$1/SKILL.md" <<END
---
name: $2
description: Says how to tie a $2. Use when a $2 is to be tied.
---
# $2

$3
END
}
policy() { # FILE FROM TO GOAL: an edit of the worktree, as a proposal
	sed "s/$2/$3/" "policies/$1" >"$top/policy" && cp "$top/policy" "policies/$1"
	proposes propose --goal "$4" --agent smith
	git checkout -q policies
}
both() { step review "$1" approve --key "$keys/bob"; step review "$1" approve; }

step init ws --agent smith --agent warden --agent scout
cd ws
step keys new bob
step keys new warden
step keys new nobody
step roles add bob --key "$keys/bob" --email bob@example.org --role human,lead
step review add-to-the-roles-bob approve
step merge add-to-the-roles-bob
step roles add warden --key "$keys/warden" --role lead --owner ada
both add-to-the-roles-warden
step merge add-to-the-roles-warden

# A looser policy, under which an agent's text is merged by a key that no policy lists.
loose=$(policy autonomy.yaml 'default: assisted' 'default: autonomous' 'let agents work by themselves')
both "$loose"
step merge "$loose"
skill bowline bowline 'Take the rope with both hands and form a small loop.'
bowline=$(proposes propose "$top/bowline" --agent smith)
git config --global assent.key none
mv "$keys" "$keys-away"
step merge "$bowline"
mv "$keys-away" "$keys"

# Two humans tighten it again.
tight=$(policy autonomy.yaml 'default: autonomous' 'default: assisted' 'ask somebody before agents change anything')
both "$tight"
step merge "$tight"

# A skill that is reviewed, changed, reviewed again, rebased and merged.
skill splice splice 'Unlay the strands and tuck each of them three times.'
splice=$(proposes propose "$top/splice" --agent smith)
step review "$splice" approve --key "$keys/bob"
skill splice splice 'Unlay the strands and tuck each of them four times, against the lay.'
step update "$splice" "$top/splice" --agent smith
refused merge "$splice"
step review "$splice" approve --key "$keys/bob"
step comment "$splice" -m 'tight enough?' --agent scout
skill hitch clove-hitch 'Turn the rope around the post two times and cross it.'
hitch=$(proposes propose "$top/hitch" --agent scout)
step review "$hitch" approve --key "$keys/bob"
step merge "$hitch"
step rebase "$splice" --agent smith
step merge "$splice"

# A soul, edited by hand; a skill with code; a merge taken back.
soul=$(proposes soul edit scout --section Vibe --mode append -m 'Ask before long searches.')
both "$soul"
step merge "$soul"
mkdir -p "$top/change/skills/count-words/scripts"
cat >"$top/change/skills/count-words/SKILL.md" <<'END'
---
name: count-words
description: Counts the words of a text. Use when a text has a limit.
---
# Count words

Run it with the text.
END
cat >"$top/change/skills/count-words/capability.yaml" <<'END'
kind: skill
version: 1.0.0
status: active
END
cat >"$top/change/skills/count-words/scripts/main.py" <<'END'
import json
import sys

print(json.dumps({"words": len(json.load(sys.stdin)["text"].split())}))
END
cat >"$top/change/skills/count-words/tests.yaml" <<'END'
cases:
  - name: two words
    input: {text: a b}
    expect: {equals: {words: 2}}
END
tool=$(proposes propose --files "$top/change" --goal 'count words' --agent smith)
both "$tool"
step merge "$tool"
undo=$(proposes undo "$hitch" --agent warden)
both "$undo"
step merge "$undo"

# Proposals that ended without a merge, and one that is open.
skill granny granny-knot 'Cross the ends the same way two times.'
granny=$(proposes propose "$top/granny" --agent scout)
step review "$granny" reject --reason 'it slips' --key "$keys/bob"
skill sheep sheepshank 'Fold the rope and hitch both bights.'
sheep=$(proposes propose "$top/sheep" --agent scout)
step withdraw "$sheep" --agent scout

# A commit past the gate, adopted.
mkdir -p skills/reef-knot
sed 's/granny-knot/reef-knot/g; s/the same way/opposite ways/' "$top/granny/SKILL.md" >skills/reef-knot/SKILL.md
git add skills
git commit -q -m 'Add a knot'
adopted=$(proposes adopt)
both "$adopted"
step merge "$adopted"

# Fold what ended, and drop the refs of half of it as 0.4.0 does ten minutes later.
step maintenance --fold
for ref in $(git for-each-ref --format='%(refname)' refs/assent/pulls | sed -n 'p;n'); do
	case $ref in */"$splice" | */"$tight") continue ;; esac
	[ "$("$assent" show "${ref##*/}" --json | sed -n 's/^  "state": "\(.*\)",$/\1/p')" = merged ] && git update-ref -d "$ref"
done
skill bend sheet-bend 'Pass the thin rope through the bight of the thick one.'
proposes propose "$top/bend" --agent scout >"$top/open"
step status
step audit verify
step audit checkpoint "$top/fixture/kept.checkpoint"
git rev-parse main >"$top/fixture/in-force"
{ echo "loose $loose"; echo "tight $tight"; echo "splice $splice"; echo "bowline $bowline"; echo "open $(cat "$top/open")"; } >"$top/fixture/ids"
date -u +%Y-%m-%dT%H:%M:%SZ >"$top/fixture/written"

git clone -q --bare . "$top/fixture/workspace.git"
git -C "$top/fixture/workspace.git" fetch -q "$top/ws" '+refs/*:refs/*'
git -C "$top/fixture/workspace.git" gc -q --prune=now
rm -rf "$top/fixture/workspace.git/hooks" "$top/fixture/workspace.git/logs" "$top/fixture/home/places" "$top/fixture/home/index" "$top/fixture/home/cache"
cd "$top/fixture"
tar --sort=name --owner=0 --group=0 --numeric-owner -czf "$here/workspace.tar.gz" home workspace.git kept.checkpoint in-force ids written
