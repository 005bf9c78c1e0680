package task

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/tools/script"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Lease is how long a script counts as running after its process last said so, which it does every
// renewal. Other machines start it again after that.
const (
	Lease   = time.Minute
	renewal = 20 * time.Second
)

// glance is how often a process that runs a script looks whether its run was ended.
const glance = time.Second

// running are the files that the processes of this machine lock while they run a script, each
// named by the token in the run's journal. So the others see at once that one died. They hold the
// script's output so far.
func running(w *workspace.Workspace, token string) (home.Store, string) {
	return home.At(filepath.Join(w.Repo.CommonDir(), "assent")), "running/" + token
}

// cancelled is the file by which a person ends, in this clone, a script of a required check.
func cancelled(token string) string { return "cancelled/" + token }

// stopHere has the processes of this clone stop their scripts of a run that a person cancelled here.
func stopHere(w *workspace.Workspace, s run.State) {
	for _, j := range s.Jobs {
		if !isToken(j.Token) {
			continue
		}
		store, name := running(w, j.Token)
		if _, err := store.Stat(name); err == nil {
			_ = store.Cache(cancelled(j.Token), nil) // otherwise it runs to its end
		}
	}
}

// moot returns whether the result of a required check cannot count any more: a person cancelled its run in this clone,
// or its proposal has another head or has ended. Those who can push a head or an end can block the proposal anyway. If a
// renewal is due and the proposal moved on the remote, it pulls first. A branch that the pull refuses stops
// nothing.
func (a *Advanced) moot(ctx context.Context, cur workspace.Session, token string) func(due bool) bool {
	store, _ := running(cur.Workspace, token)
	ref, from := hub.Branches+a.Proposal, cur.Forge.Traits().Remote
	return func(due bool) bool {
		if due && from != "" {
			soon, end := context.WithTimeout(ctx, renewal)
			there, err := hub.New(cur.Repo, from, nil).Refs(soon)
			moved := func(ref string) bool {
				known, _ := cur.Repo.Ref(remote.Tracking(from, ref))
				return there[ref] != known
			}
			if err == nil && (moved(ref) || moved(local.PullPrefix+a.Proposal)) {
				_ = cur.Forge.Refresh(soon) // if it fails, the next renewal tries again
			}
			end()
		}
		if _, err := store.Stat(cancelled(token)); err == nil {
			return true
		}
		if at, err := cur.Repo.Ref(ref); err == nil && at == a.shown.head {
			return false
		}
		pull, err := cur.Record.Get(ctx, a.Proposal)
		return err == nil && (pull.State != forge.Open || pull.Head != a.shown.head)
	}
}

// isToken reports whether a text from a journal can be a token.
func isToken(token string) bool {
	b, err := hex.DecodeString(token)
	return err == nil && len(b) == 16
}

// ReadLive reads a run and adds the output so far of scripts that run in this clone. Such output has no Ended.
func ReadLive(w *workspace.Workspace, id string) (run.State, error) {
	var s run.State
	for range 2 { // a file that is missing may be of a script that ended since the run was read
		var err error
		if s, err = w.Runs.Read(id); err != nil {
			return s, err
		}
		s.Jobs = maps.Clone(s.Jobs)
		missing := false
		for name, j := range s.Jobs {
			if j.Status != run.Running || j.Output != nil || !isToken(j.Token) {
				continue
			}
			store, file := running(w, j.Token)
			data, err := store.Read(file, script.MaxLive)
			if missing = missing || err != nil; err != nil {
				continue
			}
			out := script.ReadLive(data)
			j.Output = &out
			s.Jobs[name] = j
		}
		if !missing {
			break
		}
	}
	return s, nil
}

func newToken(w *workspace.Workspace) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(w.Random, b[:]); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// died reports whether the process of a token ran on this machine and is gone. It is false for one
// of another machine.
func died(w *workspace.Workspace, token string) bool {
	if !isToken(token) {
		return false
	}
	_, name := running(w, token)
	return killed(w, name)
}

// killed reports whether a process of this machine left a file that it locks while it runs.
func killed(w *workspace.Workspace, name string) bool {
	store, _ := running(w, "")
	if _, err := store.Stat(name); err != nil {
		return false
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	free := false
	_ = store.Locked(now, name, func() error { free = true; return nil }) // an error means that it is held
	return free
}

// abandoned is the age of a lock file that no process can hold any more: no script may take that long.
const abandoned = 3 * time.Hour

// sweep removes the lock files of processes that were killed and whose attempts were settled by other
// machines.
func sweep(w *workspace.Workspace, now time.Time) {
	store, _ := running(w, "")
	files, _ := store.List("running") // what cannot be listed stays
	for _, f := range files {
		if now.Sub(f.ModTime()) > abandoned {
			forget(w, f.Name())
		}
	}
}

// forget removes the file of a process that is gone; one that another process holds stays.
func forget(w *workspace.Workspace, token string) {
	if died(w, token) {
		store, name := running(w, token)
		_ = store.Remove(name)
	}
}

// lost is the record of a script whose process died on this machine; nil if none did.
func lost(w *workspace.Workspace, s run.State) *run.Record {
	for name, j := range s.Jobs {
		if s.Outcome == "" && j.Status == run.Running && w.Now().Before(j.Until) && died(w, j.Token) {
			return &run.Record{V: run.Version, Kind: run.Lost, Job: name, Attempt: j.Attempt, Reason: "the process that ran it ended without a result"}
		}
	}
	return nil
}

// attempt is one start of a script by this process.
type attempt struct {
	// w records on the remote first, here only locally; they are equal without a remote.
	w, here *workspace.Workspace
	run     string
	job     workflow.Job
	number  int
	token   string
	// moot says that the result of a required check cannot count any more; nil for other scripts.
	moot func(due bool) bool
}

// ours reports whether the attempt is still the one that counts.
func (a attempt) ours(s run.State) bool { return s.Outcome == "" && a.newest(s) }

// newest reports whether the attempt is the last of its job and has no result.
func (a attempt) newest(s run.State) bool {
	j := s.Jobs[a.job.Name]
	return j.Status == run.Running && j.Attempt == a.number && j.Token == a.token
}

// renew extends the lease; held is false if the attempt no longer counts. If the remote fails, it renews locally, and the
// next renewal publishes that.
func (a attempt) renew(ctx context.Context) (held bool, err error) {
	soon, end := context.WithTimeout(ctx, renewal)
	defer end()
	now := a.w.Now()
	renewed := func(s run.State) (*run.Record, error) {
		if held = a.ours(s); !held {
			return nil, nil
		}
		return &run.Record{V: run.Version, Kind: run.Renewed, Job: a.job.Name, Attempt: a.number, Token: a.token, Until: now.Add(Lease).UTC()}, nil
	}
	_, err = a.w.Runs.Append(soon, a.run, engine, now, renewed)
	if err != nil && a.here != a.w {
		_, err = a.here.Runs.Append(ctx, a.run, engine, now, renewed)
	}
	return held, err
}

// keep renews the lease until ctx ends, and calls stop when the attempt counts no more: the run
// was cancelled, or another machine began it again; of a required check, when it is moot.
func (a attempt) keep(ctx context.Context, stop func()) {
	look := time.NewTicker(glance)
	defer look.Stop()
	due, seen := time.Now().Add(renewal), tree.Hash{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		held, now := true, time.Now()
		renews := now.After(due)
		if renews {
			due = now.Add(renewal)
			if still, err := a.renew(ctx); err == nil { // otherwise it is tried again
				held = still
			}
		} else if at, err := a.w.Repo.Ref(runlog.Prefix + a.run); err == nil && at != seen {
			if s, err := a.w.Runs.Read(a.run); err == nil {
				held, seen = a.ours(s), at
			}
		}
		if a.moot != nil { // whatever the journal says
			held = !a.moot(renews)
		}
		if !held {
			stop()
			return
		}
	}
}
