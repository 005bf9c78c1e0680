package attacks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func vainDefences() map[string]defence {
	return map[string]defence{"failed-fetches-pause": {attack: "TestAttackVainFetches"}}
}

// unfetchable puts refs of every kind on the hub that no fetch brings: objects that they need are missing.
func (d *world) unfetchable() (all map[string]tree.Hash) {
	d.Helper()
	all = map[string]tree.Hash{}
	var p storetest.Pack
	var refs strings.Builder
	for i, prefix := range []string{
		local.PullPrefix + "a-hitch-0000000", "refs/heads/" + forge.BranchPrefix + "a-bend-000000", local.ClosedPrefix + "190", runlog.Prefix + "a-braid-000000",
		runlog.EndedPrefix + "190", workspace.StopPrefix + "a", triallog.Prefix + strings.Repeat("0", 7), workspace.RecordPrefix + "notes/",
	} {
		for j := range 13 {
			absent := fmt.Sprintf("%040x", 1000*i+j+1)
			top := p.Whole(storetest.KindTree, nil).String()
			parent := "parent " + absent + "\n"
			switch j % 3 {
			case 0:
				top, parent = absent, ""
			case 1:
				h, err := tree.ParseHash(absent)
				d.ok(err)
				top, parent = p.Whole(storetest.KindTree, slices.Concat([]byte("40000 d\x00"), h[:])).String(), ""
			}
			at := p.Whole(storetest.KindCommit, fmt.Appendf(nil, "tree %s\n%sauthor E <e@x> 5 +0000\ncommitter E <e@x> 5 +0000\n\n%s %d\n", top, parent, prefix, j))
			name := fmt.Sprintf("%s%x", prefix, j)
			all[name] = at
			fmt.Fprintf(&refs, "create %s %s\n", name, at)
		}
	}
	p.Into(d, filepath.Join(d.dir, ".git"))
	d.gitIn(refs.String(), "update-ref", "--stdin")
	return all
}

// costly makes every attempt that is remembered one that took an hour, and returns their number.
func (d *world) costly() int {
	d.Helper()
	file := filepath.Join(d.dir, ".git", "assent", "unfetched")
	data, err := os.ReadFile(file)
	d.ok(err)
	var known map[string]map[string]any
	d.ok(json.Unmarshal(data, &known))
	for _, k := range known {
		k["took"], k["why"] = time.Hour, "remembered"
	}
	data, err = json.Marshal(known)
	d.ok(err)
	d.ok(os.WriteFile(file, data, 0o644))
	return len(known)
}

// Refs on the hub that git tries in vain, for minutes each time, are tried once while they do not move. They
// are named at each pull, and everything else arrives, also what comes after them.
func TestAttackVainFetches(t *testing.T) {
	d := newWorld(t)
	hub := d.copied()
	bad := hub.unfetchable()
	good := hub.proposed("mongke", skill("sheet-bend"))
	var out exchange.Pulled
	for known := 0; known < len(bad); {
		var err error
		out, err = exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		now := d.costly()
		if now <= known {
			d.succeeds("after %d of %d refs, the same ones are tried again", known, len(bad))
			return
		}
		known = now
	}
	pull := func(problem string) []string {
		d.reopen()
		var err error
		out, err = exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		if len(out.Problems) == 0 || !strings.Contains(out.Problems[0].Error(), problem) {
			d.succeeds("the pull says %v, not %s", out.Problems, problem)
		}
		return out.Untaken
	}
	untaken := pull("remembered")
	for ref := range bad {
		t.Run(strings.ReplaceAll(ref, "/", "_"), func(t *testing.T) {
			if !slices.Contains(untaken, ref) {
				t.Errorf("it is not named")
			}
		})
	}
	if _, err := d.Repo.Ref(local.PullPrefix + good.ID); err != nil || len(untaken) != len(bad) {
		d.succeeds("the other proposal does not arrive, %d refs are left out: %v", len(untaken), err)
	}
	moved, gone := "refs/heads/"+forge.BranchPrefix+"a-bend-0000000", local.PullPrefix+"a-hitch-00000000"
	hub.put(moved, hub.main())
	hub.git("update-ref", "-d", gone)
	if untaken = pull("remembered"); len(untaken) != len(bad)-2 || slices.Contains(untaken, moved) || slices.Contains(untaken, gone) {
		d.Errorf("with one that moved and one that is gone, %d of %d are left out", len(untaken), len(bad))
	}
	_, err := exchange.Damages(d.Context(), d.Workspace, "origin")
	if err == nil || strings.Contains(err.Error(), "remembered") {
		d.Errorf("a repair relies on what was remembered: %v", err)
	}
}
