package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func isolationDefences() map[string]defence {
	const malformed, files, checkouts = "TestAttackMalformedMain/", "TestAttackFilesOnMain/", "TestAttackCheckouts/"
	return map[string]defence{
		"malformed-commits-are-walked-past":         {attack: malformed + "a commit", instead: "if malformed != nil { return c, err }"},
		"unreadable-files-of-main-hide-no-proposal": {attack: files + "one that is a folder"},
		"checkouts-are-bounded":                     {attack: checkouts + "a blob named a thousand times"},
		"damaged-journals-stand-alone":              {attack: "TestAttackPayloads/a hundred trees"},
		"indexes-are-compared-by-path": {
			attack:  checkouts + "a vast tree, and a doctor",
			instead: `if _, err := e.Git(e.ctx, t.Root, "diff-index", "--cached", "HEAD"); err != nil { return s, err }`,
		},
	}
}

// newReader returns the session of a reader who never saw the workspace.
func (d *world) newReader() (workspace.Session, error) {
	d.Helper()
	return d.Rejudged(d.Context(), func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		_, _, err := d.Rejudge(ctx, before, c)
		return err
	})
}

// blockedAlone checks that an unreadable main blocks its own commit and nothing else, for a reader
// who remembers and for a newcomer. It reports whether that holds.
func (d *world) blockedAlone(what string, p forge.Pull) bool {
	d.Helper()
	d.reopen()
	cur, err := d.Session(d.Context())
	if err != nil || len(cur.Blocked) == 0 {
		d.succeeds("%q: who remembers reads %d blocked commits: %v", what, len(cur.Blocked), err)
		return false
	}
	d.same(cur)
	if _, err := cur.Examine(d.Context(), p.ID); err != nil {
		d.succeeds("%q: it hides a proposal: %v", what, err)
		return false
	}
	fresh, err := d.newReader()
	if err != nil || len(fresh.Blocked) == 0 {
		d.succeeds("%q: a newcomer reads %d blocked commits: %v", what, len(fresh.Blocked), err)
		return false
	}
	d.same(fresh)
	return !d.Failed()
}

// An object on main that git and assent could read differently blocks only its own commit.
func TestAttackMalformedMain(t *testing.T) {
	attack(t, "a commit", func(d *world) {
		p, main := d.proposed("kublai", skill("clove-hitch")), d.main()
		evil := d.grafted(d.treeOf(main).String(), []string{"skills", "evil", "SKILL.md"}, "100644", d.object("blob", []byte("evil\n")))
		variants, blocked := hostileCommits(d.treeOf(main).String(), evil, main.String(), d.treeOf(main).String()), 0
		for _, v := range variants {
			h := d.parsed(d.object("commit", []byte(v)))
			if _, err := d.Repo.Commit(h); err == nil {
				continue
			}
			history, err := exec.Command("git", "-C", d.dir, "rev-list", "--first-parent", "--max-count=2", h.String()).Output()
			if err != nil || strings.Count(string(history), "\n") < 2 {
				continue // git finds no history below it either
			}
			blocked++
			d.rawRef(filepath.Join(d.dir, ".git"), attest.MainRef, h.String())
			if !d.blockedAlone(v, p) {
				return
			}
		}
		if blocked < 100 {
			d.Errorf("only %d of %d variants are malformed commits with a history", blocked, len(variants))
		}
		d.rawRef(filepath.Join(d.dir, ".git"), attest.MainRef, main.String()) // the checker stops at such a commit
	})
	attack(t, "a tree", func(d *world) {
		p, main, n := d.proposed("kublai", skill("clove-hitch")), d.main(), 0
		for _, v := range d.hostileTrees() {
			evil := d.parsed(d.object("tree", []byte(v)))
			if view, err := d.Repo.Snapshot(evil); err == nil {
				if _, err = view.List(""); err == nil {
					continue
				}
			}
			for _, at := range [][]string{{"skills", "evil"}, {"policies"}} {
				n++
				d.put(attest.MainRef, main)
				d.put(attest.MainRef, d.commitRaw(d.grafted(d.treeOf(main).String(), at, "40000", evil.String())))
				if !d.blockedAlone(fmt.Sprintf("%q at %v", v, at), p) {
					return
				}
			}
		}
		if n < 100 {
			d.Errorf("only %d variants", n)
		}
	})
}

// hostileFiles are file contents that no checkout can hold.
func (d *world) hostileFiles() map[string]string {
	return map[string]string{
		"one that is a folder": d.object("tree", nil),
		"one that is a commit": d.main().String(),
		"one that is nowhere":  strings.Repeat("12", 20),
	}
}

// A file on main with unreadable content hides no proposal.
func TestAttackFilesOnMain(t *testing.T) {
	for _, what := range []string{"one that is a folder", "one that is a commit", "one that is nowhere"} {
		attack(t, what, func(d *world) {
			p, main := d.proposed("kublai", skill("clove-hitch")), d.main()
			for _, at := range [][]string{{"skills", "evil", "SKILL.md"}, {"soul", "kublai", "note.md"}, {"policies", "roles.yaml"}} {
				d.put(attest.MainRef, main)
				d.put(attest.MainRef, d.commitRaw(d.grafted(d.treeOf(main).String(), at, "100644", d.hostileFiles()[what])))
				if !d.blockedAlone(fmt.Sprint(at), p) {
					return
				}
			}
		})
	}
	attack(t, "a vast folder beside what is governed", func(d *world) {
		p, main := d.proposed("kublai", skill("clove-hitch")), d.main()
		d.put(attest.MainRef, d.commitRaw(d.grafted(d.treeOf(main).String(), []string{"vast"}, "40000", d.vast(30))))
		d.reopen()
		d.approved(p.ID, "ada", "bob")
		if out := d.merge(p.ID); !out.Merged {
			d.succeeds("nothing merges any more: %s", out.Refused)
		}
		d.begin()
	})
}

// A checkout never writes more than a workspace can hold, and unwritable content does not prevent
// readers from using the state in force.
func TestAttackCheckouts(t *testing.T) {
	attack(t, "a blob named a thousand times", func(d *world) {
		zeros := d.object("blob", make([]byte, 60<<20))
		var files []raw
		for i := range 300 {
			files = append(files, raw{"100644", fmt.Sprint("f", i), zeros})
		}
		view, err := d.Repo.Snapshot(d.parsed(d.tree(files)))
		d.ok(err)
		if err := tree.Files(view, "", d.Repo.Weigh().Add); !errors.Is(err, tree.ErrTooLarge) {
			d.succeeds("18 GB would be written: %v", err)
		}
	})
	for _, what := range []string{"one that is a folder", "one that is a commit"} {
		attack(t, what+", in a clone", func(d *world) {
			top := d.grafted(d.treeOf(d.main()).String(), []string{"notes", "a"}, "100644", d.hostileFiles()[what])
			d.put(attest.MainRef, d.commitRaw(top))
			d.program("clone", d.dir, filepath.Join(d.TempDir(), "clone"))
		})
	}
	attack(t, "a vast tree, and a doctor", func(d *world) {
		d.git("reset", "--hard", "--quiet")
		d.put(attest.MainRef, d.commitRaw(d.grafted(d.treeOf(d.main()).String(), []string{"vast"}, "40000", d.vast(40))))
		d.program("doctor")
	})
}

// program runs a command, which must end in time and succeed; doctor may have findings.
func (d *world) program(args ...string) {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "assent", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = d.dir, append(os.Environ(), "HOME="+d.TempDir()), time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		d.succeeds("assent %s does not end:\n%s", args[0], out)
	case errors.As(err, &exit) && (exit.ExitCode() != 1 || args[0] != "doctor"):
		d.succeeds("assent %s ends with %d:\n%s", args[0], exit.ExitCode(), out)
	}
}

// The journal of one proposal cannot hide others, for any tree of its events.
func TestAttackPayloads(t *testing.T) {
	attack(t, "a hundred trees", func(d *world) {
		p, n := d.proposed("kublai", skill("clove-hitch")), 0
		for _, v := range d.hostileTrees() {
			n++
			top := d.object("tree", []byte(v))
			d.rawRef(filepath.Join(d.dir, ".git"), fmt.Sprintf("%sevil-abcd2%03d", local.PullPrefix, 200+n), d.event(top, "opened", 1, ""))
		}
		if n < 100 {
			d.Fatalf("only %d variants", n)
		}
		d.reopen()
		all, err := d.Forge.List(d.Context(), forge.Filter{})
		if err == nil || len(all) == 0 || all[len(all)-1].ID != p.ID {
			d.succeeds("%d are listed: %v", len(all), err)
			return
		}
		if _, _, err := d.seen(p.ID); err != nil {
			d.succeeds("an honest proposal cannot be read: %v", err)
			return
		}
		d.approved(p.ID, "ada", "bob")
		if out := d.merge(p.ID); !out.Merged {
			d.succeeds("nothing merges: %s", out.Refused)
		}
		d.begin()
	})
}
