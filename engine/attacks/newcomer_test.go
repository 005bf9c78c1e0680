package attacks_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func newcomerDefences() map[string]defence {
	const fresh = "TestAttackNewcomer/"
	return map[string]defence{
		"anchors-name-the-workspace": {
			attack: fresh + "another workspace at the address", with: []string{"anchors-are-on-main", "anchors-were-in-force"},
		},
		"anchors-are-on-main":             {attack: fresh + "an older main", with: []string{"rollback-noticed"}},
		"anchors-were-in-force":           {attack: fresh + "an anchor past the gate"},
		"anchors-are-signed-by-humans":    {attack: fresh + "a checkpoint by an agent"},
		"anchors-have-happened":           {attack: fresh + "a checkpoint of tomorrow"},
		"clones-are-held-against-anchors": {attack: fresh + "a merge voided by its journal"},
		"broken-branches-stay-behind":     {attack: "TestAttackBrokenRefsOfFolder/refs~heads~broken: a commit without headers"},
	}
}

// mirrored returns a copy of the workspace that the attacker controls.
func (d *world) mirrored() string {
	d.Helper()
	dir := d.dir + "-hub.git"
	d.git("clone", "-q", "--mirror", d.dir, dir)
	return dir
}

// newcomer clones a hub on a machine that never saw the workspace. The clone is kept
// only if the program says so.
func (d *world) newcomer(hub, anchor string) (dir, says string) {
	d.Helper()
	home := d.TempDir()
	dir = filepath.Join(home, "clone")
	cmd := exec.Command("assent", "clone", hub, dir, "--checkpoint", anchor)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "ASSENT_HOME="+filepath.Join(home, "assent"))
	out, err := cmd.CombinedOutput()
	left, lerr := os.ReadDir(home)
	d.ok(lerr)
	if err != nil && len(left) > 0 {
		d.Errorf("it refuses, and leaves %s", left)
	}
	return dir, string(out)
}

// refuses checks that a newcomer keeps nothing, for the expected reason.
func (d *world) refuses(hub, anchor, why string) {
	d.Helper()
	dir, says := d.newcomer(hub, anchor)
	if _, err := os.Stat(dir); err == nil {
		d.succeeds("the newcomer has a clone: %s", says)
		return
	}
	d.because(says, why)
}

func (d *world) anchor(commit tree.Hash) string {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	return checkpoint.Anchor{Workspace: cur.Genesis, Commit: commit}.String()
}

// kept returns the file of a checkpoint of the current state, altered and signed by a person.
func (d *world) kept(who string, alter func(*checkpoint.Checkpoint)) string {
	d.Helper()
	_, point, err := audit.Checkpoint(d.Context(), d.Workspace, nil)
	d.ok(err)
	alter(&point)
	text, err := checkpoint.Sign(point, d.who[who])
	d.ok(err)
	file := filepath.Join(d.TempDir(), "kept")
	d.ok(os.WriteFile(file, text, 0o600))
	return file
}

// A first clone from a hostile hub does not fall behind the state that another reader saw in
// force.
func TestAttackNewcomer(t *testing.T) {
	stricter := func(d *world) (id string, before tree.Hash) {
		before = d.main()
		p := d.merged(d.altered("policies/approvals.yaml", "  low: []", "  low: [{role: human, count: 1}]"))
		return p.ID, before
	}
	asIs := func(*checkpoint.Checkpoint) {}
	attack(t, "no attack", func(d *world) {
		stricter(d)
		hub := d.mirrored()
		for _, anchor := range []string{d.anchor(d.main()), d.kept("bob", asIs)} {
			if dir, says := d.newcomer(hub, anchor); !strings.Contains(says, "in force: main") {
				d.Errorf("%s is refused: %s", dir, says)
			}
		}
	})
	attack(t, "an older main", func(d *world) {
		_, before := stricter(d)
		hub, after := d.mirrored(), d.main()
		d.git("-C", hub, "update-ref", "refs/heads/later", after.String()) // so that the objects arrive
		d.git("-C", hub, "update-ref", attest.MainRef, before.String())
		d.refuses(hub, d.anchor(after), "does not hold")
		d.refuses(hub, d.kept("bob", asIs), "does not hold")
	})
	attack(t, "another line", func(d *world) {
		_, before := stricter(d)
		hub, other := d.mirrored(), d.commit("Something else", []tree.Hash{before}, file("README.md", "x\n"))
		d.git("push", "-q", "-f", hub, other.String()+":refs/heads/main")
		d.refuses(hub, d.anchor(d.main()), "does not hold")
	})
	attack(t, "beside main", func(d *world) {
		_, before := stricter(d)
		hub, after := d.mirrored(), d.main()
		other := d.commit("Takes the other side", []tree.Hash{before, after}, file("README.md", "x\n"))
		d.git("push", "-q", "-f", hub, other.String()+":refs/heads/main")
		d.refuses(hub, d.anchor(after), "does not hold")
	})
	attack(t, "another workspace at the address", func(d *world) {
		anchor, main := d.anchor(d.main()), d.main()
		hub := d.mirrored()
		d.put(attest.MainRef, d.commit("Begin\n\n"+attest.GenesisTrailer+": 1", nil, skill("granny-knot")))
		d.git("push", "-q", "-f", hub, "refs/heads/main")
		d.put(attest.MainRef, main)
		d.refuses(hub, anchor, "this is workspace")
	})
	attack(t, "a merge voided by its journal", func(d *world) {
		id, _ := stricter(d)
		hub := d.mirrored()
		d.git("-C", hub, "update-ref", "-d", local.PullPrefix+id)
		d.refuses(hub, d.anchor(d.main()), "is not here")
	})
	attack(t, "an anchor past the gate", func(d *world) {
		main := d.main()
		sneaked := d.straight("Sneak in", skill("granny-knot"))
		hub := d.mirrored()
		anchor := d.anchor(sneaked)
		d.put(attest.MainRef, main)
		d.refuses(hub, anchor, "it belongs to no proposal")
	})
	attack(t, "a checkpoint by an agent", func(d *world) {
		stricter(d)
		d.refuses(d.mirrored(), d.kept("mongke", asIs), "for no human")
	})
	attack(t, "a checkpoint of tomorrow", func(d *world) {
		stricter(d)
		ahead := func(c *checkpoint.Checkpoint) { c.At = time.Now().UTC().Truncate(time.Second).Add(24 * time.Hour) }
		d.refuses(d.mirrored(), d.kept("bob", ahead), "in the future")
	})
	attack(t, "every main with every anchor", everyAnchor)
}

// A ref in a hub's folder that git copies unread keeps no journal from a newcomer.
func TestAttackBrokenRefsOfFolder(t *testing.T) {
	objects := map[string]func(d *world) (kind, data string){
		"a commit without headers": func(*world) (string, string) { return "commit", "nonsense\n" },
		"a commit without a tree": func(d *world) (string, string) {
			return "commit", "parent " + d.main().String() + "\nauthor M <m@example.org> 5 +0000\ncommitter M <m@example.org> 5 +0000\n\nx\n"
		},
		"a commit upon one without headers": func(d *world) (string, string) {
			return "commit", "tree " + d.treeOf(d.main()).String() + "\nparent " + d.object("commit", []byte("nonsense\n")) + "\nauthor M <m@example.org> 5 +0000\ncommitter M <m@example.org> 5 +0000\n\nx\n"
		},
		"a tag without headers": func(*world) (string, string) { return "tag", "nonsense\n" },
		"nothing":               func(*world) (string, string) { return "", "" },
	}
	for _, ref := range []string{"refs/heads/broken", "refs/heads/proposal/broken-k3v9q2mt", "refs/heads/inbox/broken", "refs/tags/broken"} {
		for name, object := range objects {
			attack(t, strings.ReplaceAll(ref, "/", "~")+": "+name, func(d *world) {
				d.merged(skill("clove-hitch"))
				kind, data := object(d)
				hash := strings.Repeat("1", 40)
				if kind != "" {
					hash = d.object(kind, []byte(data))
				}
				hub := d.dir + "-hub.git"
				d.git("clone", "-q", "--mirror", d.dir, hub)
				d.rawRef(hub, ref, hash)
				dir, says := d.newcomer(hub, d.anchor(d.main()))
				if _, err := os.Stat(dir); err != nil {
					d.succeeds("a newcomer has no clone: %s", says)
					return
				}
				d.because(says, "in force: main", ref)
			})
		}
	}
}

// everyAnchor tries each commit as the anchor of each state that a hub can show: main at any of
// its commits, and any one journal missing.
func everyAnchor(d *world) {
	line, journals := []tree.Hash{d.main()}, []string{""}
	without := []int{1 << 10} // from which commit on a journal that is gone is missed
	for _, name := range []string{"clove-hitch", "sheet-bend", "cat-paw"} {
		p := d.merged(skill(name))
		line, journals, without = append(line, d.main()), append(journals, p.ID), append(without, len(line))
	}
	line = append(line, d.straight("Plain work", file("README.md", "x\n")))
	d.begin()
	line = append(line, d.straight("Sneak in", skill("granny-knot")))
	tried := 0
	for j, id := range journals {
		if id != "" {
			d.git("update-ref", "refs/kept/"+id, local.PullPrefix+id)
			d.git("update-ref", "-d", local.PullPrefix+id)
		}
		for main := range line {
			d.put(attest.MainRef, line[main])
			d.reopen()
			for at := range line {
				tried++
				_, err := d.CheckAnchor(d.Context(), workspace.Anchored{Anchor: checkpoint.Anchor{Workspace: line[0], Commit: line[at]}})
				holds := at <= main && at < without[j] && at < len(line)-1
				if holds != (err == nil) || err != nil && !errors.Is(err, workspace.ErrAnchor) {
					d.Errorf("main at %d, anchor at %d, without journal %d: %v", main, at, j, err)
				}
			}
		}
		if id != "" {
			d.git("update-ref", local.PullPrefix+id, "refs/kept/"+id)
			d.git("update-ref", "-d", "refs/kept/"+id)
		}
	}
	if tried < 100 {
		d.Errorf("only %d were tried", tried)
	}
	d.put(attest.MainRef, line[len(line)-2])
}
