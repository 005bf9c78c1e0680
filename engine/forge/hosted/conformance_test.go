package hosted_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/forgetest"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/memhost"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/git/remote"
)

var epoch = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a hub, the service that shows it, and one clone.
type world struct {
	t     *testing.T
	hub   *gitstore.Repo
	clone *gitstore.Repo
	as    func(login string) host.Host
	fail  func(error) // makes the service fail until called with nil
	// beside opens a second pull request for the same branch.
	beside func(host.New) (number int)
	// retarget changes the base.
	retarget func(number int, base string)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	hub, dir := t.TempDir(), t.TempDir()
	storetest.Git(t, hub, "init", "-q", "--bare", "-b", "main")
	storetest.Git(t, dir, "init", "-q", "-b", "main")
	storetest.Git(t, dir, "-c", "user.name=Jochi", "-c", "user.email=jochi@example.org", "commit", "-q", "--allow-empty", "-m", "Begin")
	storetest.Git(t, dir, "remote", "add", "origin", hub)
	storetest.Git(t, dir, "push", "-q", "origin", "main")
	w := &world{t: t}
	var err error
	w.hub, err = gitstore.Open(hub)
	must(t, err)
	w.clone, err = gitstore.Open(dir)
	must(t, err)
	server := memhost.New(func(branch string) tree.Hash { return w.tip(w.hub, "refs/heads/"+branch) })
	w.as = func(login string) host.Host { return server.As(login) }
	w.beside = func(n host.New) int {
		r, err := server.Beside("temujin", n)
		must(t, err)
		return r.Number
	}
	w.retarget = func(number int, base string) { must(t, server.Retarget(number, base)) }
	w.fail = func(err error) {
		server.Fail = nil
		if err != nil {
			server.Fail = func(string) error { return err }
		}
	}
	return w
}

func (w *world) tip(r *gitstore.Repo, ref string) tree.Hash {
	w.t.Helper()
	h, err := r.Ref(ref)
	if !errors.Is(err, gitstore.ErrNoRef) {
		must(w.t, err)
	}
	return h
}

// forge connects to the service as an account, from a clone.
func (w *world) forge(clone *gitstore.Repo, login string) *hosted.Forge {
	return hosted.New(clone, "origin", w.as(login), syncOf(clone))
}

// syncOf does what package exchange does, for repositories that are not workspaces.
func syncOf(r *gitstore.Repo) hub.Sync {
	return func(ctx context.Context, _ string) error {
		if err := remote.Fetch(ctx, r, "origin"); err != nil {
			return err
		}
		refs, err := r.Refs(remote.Tracking("origin", local.PullPrefix))
		if err != nil {
			return err
		}
		l := local.New(r)
		for _, ref := range refs {
			id := strings.TrimPrefix(ref.Name, remote.Tracking("origin", local.PullPrefix))
			branch, err := r.Ref(remote.Tracking("origin", "refs/heads/"+forge.BranchPrefix+id))
			if err != nil && !errors.Is(err, gitstore.ErrNoRef) {
				return err
			}
			if _, err := l.Join(id, local.Theirs{Journal: ref.Hash, Branch: branch}, func(string) bool { return false }); err != nil {
				return err
			}
		}
		there, err := r.Ref(remote.Tracking("origin", "refs/heads/main"))
		if err != nil {
			return err
		}
		return r.Update(gitstore.RefUpdate{Name: "refs/heads/main", New: there, Any: true})
	}
}

// person returns a person with a signing key and an account of the same name.
func (w *world) person(name string) forgetest.Person {
	w.t.Helper()
	seed := sha256.Sum256([]byte(name))
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
	must(w.t, err)
	who := forge.Actor{Name: name, Login: name, Email: name + "@example.org", Key: string(review.FingerprintOf(signer.PublicKey()))}
	serial := 0
	return forgetest.Person{Forge: w.forge(w.clone, name), Actor: who, Review: func(id string, head tree.Hash, d review.Decision, reason string) forge.Review {
		serial++
		rec := review.Record{
			V: review.Version, Workspace: "test", Proposal: id, Head: head, Tree: "sha256:" + head.String(), Decision: d, Reason: reason,
			At: epoch.Add(time.Duration(serial) * time.Hour), Nonce: fmt.Sprintf("%s-%016d", name, serial),
		}
		if rec.Reason == "" && d != review.Approve {
			rec.Reason = "because"
		}
		signed, err := review.Sign(rec, signer)
		must(w.t, err)
		return forge.Review{By: who, Decision: string(d), Reason: rec.Reason, Head: head, Effective: rec.Tree, At: rec.At,
			Record: signed.Record, Signature: signed.Signature}
	}}
}

// account returns a person who decides on the service, without a key.
func (w *world) account(name string) forgetest.Person {
	p := w.person(name)
	p.Review = func(_ string, head tree.Hash, d review.Decision, reason string) forge.Review {
		if reason == "" && d != review.Approve {
			reason = "because"
		}
		return forge.Review{By: forge.Actor{Login: name}, Decision: string(d), Reason: reason, Head: head, At: epoch}
	}
	return p
}

// harness returns a harness whose people person makes. Accounts may always decide without
// a signature.
func (w *world) harness(person func(name string) forgetest.Person) forgetest.Harness {
	persons := map[string]forgetest.Person{}
	return forgetest.Harness{
		Repo: w.clone,
		Person: func(_ *testing.T, name string) forgetest.Person {
			if _, ok := persons[name]; !ok {
				persons[name] = person(name)
			}
			return persons[name]
		},
		Tip:       func(_ *testing.T, branch string) tree.Hash { return w.tip(w.hub, "refs/heads/"+branch) },
		Move:      func(_ *testing.T, branch string, to tree.Hash) { w.move("refs/heads/"+branch, to) },
		Interrupt: func(_ *testing.T, at forgetest.Point, id string, do func(forge.Forge)) { w.interrupt(at, id, do) },
	}
}

// move pushes with plain git and refreshes the clone.
func (w *world) move(ref string, to tree.Hash) {
	w.t.Helper()
	w.put(ref, to)
	must(w.t, w.forge(w.clone, "somebody").Refresh(w.t.Context()))
}

func (w *world) put(ref string, to tree.Hash) {
	w.t.Helper()
	if to.IsZero() {
		storetest.Git(w.t, w.clone.Top(), "push", "-q", "origin", ":"+ref)
		return
	}
	must(w.t, w.clone.Update(gitstore.RefUpdate{Name: "refs/tests/pushed", New: to, Any: true}))
	storetest.Git(w.t, w.clone.Top(), "push", "-q", "--force", "origin", "refs/tests/pushed:"+ref)
}

// interrupt ends an operation at one of its writes: to the hub, to the clone, or to the
// service.
func (w *world) interrupt(at forgetest.Point, id string, do func(forge.Forge)) {
	w.t.Helper()
	killed := errors.New("killed")
	f := w.forge(w.clone, "kublai")
	switch at {
	case forgetest.OpenedHalf, forgetest.ClosedHalf, forgetest.ReopenedHalf:
		w.fail(killed)
		defer w.fail(nil)
		do(f)
	case forgetest.PushedHalf: // plain git moved the branch and the journal does not record it
		journal := w.tip(w.hub, local.PullPrefix+id)
		do(f)
		w.put(local.PullPrefix+id, journal)
		must(w.t, w.clone.Update(gitstore.RefUpdate{Name: local.PullPrefix + id, New: journal, Any: true}))
	case forgetest.MergeAnnounced:
		hosted.BeforePush(f, func(moves []remote.Move) error { return killedAt(moves, "refs/heads/main", killed) })
		do(f)
	case forgetest.MergeMoved: // the hub has it; the process died before updating the clone
		hosted.AfterPush(f, func(moves []remote.Move) error { return killedAt(moves, "refs/heads/main", killed) })
		do(f)
		must(w.t, w.forge(w.clone, "kublai").Refresh(w.t.Context()))
	}
}

func killedAt(moves []remote.Move, ref string, err error) error {
	for _, m := range moves {
		if m.Ref == ref {
			return err
		}
	}
	return nil
}

func TestConformance(t *testing.T) {
	for name, person := range map[string]func(*world, string) forgetest.Person{"signed": (*world).person, "accounts": (*world).account} {
		t.Run(name, func(t *testing.T) {
			forgetest.Run(t, func(t *testing.T) forgetest.Harness {
				w := newWorld(t)
				return w.harness(func(name string) forgetest.Person { return person(w, name) })
			})
		})
	}
}
