package audit_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// fixture is the workspace that testdata/v0.4.0/make.sh created with assent 0.4.0.
type fixture struct {
	*testing.T
	*workspace.Workspace
	attester ssh.Signer
	dir      string
	clock    time.Time
}

// openFixture unpacks the fixture; the clock is an hour later. With remembering, the
// user's folder is the one of 0.4.0; otherwise it has only the keys.
func openFixture(t *testing.T, remembering bool) *fixture {
	t.Helper()
	f := &fixture{T: t, dir: t.TempDir()}
	f.unpack(filepath.Join("testdata", "v0.4.0", "workspace.tar.gz"))
	if !remembering {
		f.ok(os.RemoveAll(filepath.Join(f.dir, "home", "state")))
	}
	t.Setenv("ASSENT_HOME", filepath.Join(f.dir, "home"))
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	at, err := time.Parse(time.RFC3339, f.text("written"))
	f.ok(err)
	f.clock = at.Add(time.Hour)
	f.Workspace, err = workspace.Open(filepath.Join(f.dir, "workspace.git"), workspace.Surroundings{
		Now: f.tick, Random: rand.Reader, Attester: func(workspace.Session) ssh.Signer { return f.attester },
	})
	f.ok(err)
	return f
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) tick() time.Time {
	f.clock = f.clock.Add(time.Second)
	return f.clock
}

func (f *fixture) text(name string) string {
	f.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, name))
	f.ok(err)
	return strings.TrimSpace(string(data))
}

func (f *fixture) unpack(archive string) {
	f.Helper()
	file, err := os.Open(archive)
	f.ok(err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	f.ok(err)
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		f.ok(err)
		at := filepath.Join(f.dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			f.ok(os.MkdirAll(at, 0o755))
			continue
		}
		data, err := io.ReadAll(r)
		f.ok(err)
		f.ok(os.WriteFile(at, data, 0o600))
	}
}

// TestUpgradeFromV040: merges by 0.4.0 are in force for today's program, with and without
// a memory of them, and the workspace can be used further.
func TestUpgradeFromV040(t *testing.T) {
	for name, remembering := range map[string]bool{"fresh": false, "with the user folder of 0.4.0": true} {
		t.Run(name, func(t *testing.T) {
			f := openFixture(t, remembering)
			want, err := tree.ParseHash(f.text("in-force"))
			f.ok(err)
			cur, err := f.Session(t.Context())
			f.ok(err)
			if cur.InForce != want || len(cur.Blocked) != 0 {
				t.Fatalf("in force is %s, blocked %+v; 0.4.0 had %s", cur.InForce.Short(), cur.Blocked, want.Short())
			}
			f.verified(11)
			kept, err := os.ReadFile(filepath.Join(f.dir, "kept.checkpoint"))
			f.ok(err)
			f.verified(11, audit.Witness{Name: "kept", Text: kept})
			f.lives()
			f.verified(12)
		})
	}
}

// verified checks that the record is valid and every merge is in force.
func (f *fixture) verified(merges int, witnesses ...audit.Witness) {
	f.Helper()
	res, err := audit.Verify(f.Context(), f.Workspace, nil, witnesses...)
	f.ok(err)
	if res.Broken != nil || res.Merges != merges || res.InForce != res.Main {
		f.Fatalf("broken %+v, %d merges, in force %s of %s", res.Broken, res.Merges, res.InForce.Short(), res.Main.Short())
	}
	f.Logf("%d merges, %d of them excepted, %d unsigned", res.Merges, len(res.Excepted), res.Unsigned)
}

// lives opens, approves and merges a proposal.
func (f *fixture) lives() {
	f.Helper()
	bob, err := keys.Load(filepath.Join(f.dir, "home", "keys", "bob"), nil)
	f.ok(err)
	f.attester = bob
	edit := tree.Edit{Path: "skills/anchor-bend/SKILL.md", Content: []byte("---\nname: anchor-bend\ndescription: Says how to tie an anchor bend. Use when an anchor is to hold.\n---\n# Anchor bend\n\nTwo turns through the ring.\n")}
	out, err := propose.Open(f.Context(), f.Workspace, propose.Request{
		Proposal: proposal.Proposal{Goal: "tie an anchor"}, Edits: []tree.Edit{edit}, By: forge.Actor{Name: "scout"},
		Author: gitstore.Person{Name: "scout", Email: "scout@agents.invalid", When: f.tick()},
	})
	f.ok(err)
	if !out.Opened || !out.Examined.Report.Passed {
		f.Fatalf("not opened: %v, %v", out.Diagnostics, out.Examined.Report.Diagnostics)
	}
	_, err = approve.Run(f.Context(), f.Workspace, approve.Decision{Proposal: out.Pull.ID, Decision: review.Approve, Signer: bob})
	f.ok(err)
	merged, err := merge.Run(f.Context(), f.Workspace, out.Pull.ID, forge.Actor{Name: "scout"}, false)
	f.ok(err)
	if !merged.Merged {
		f.Fatalf("not merged: %s", merged.Refused)
	}
}
