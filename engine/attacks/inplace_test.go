package attacks_test

import (
	"context"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/flows/doctor"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// served serves a repository with git's own CGI program.
func (d *world) served(hub string) (url string) {
	d.Helper()
	program := filepath.Join(d.git("--exec-path"), "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		d.Skip("git http-backend is not installed")
	}
	d.git("-C", hub, "config", "http.receivepack", "true")
	server := httptest.NewServer(&cgi.Handler{Path: program, Dir: hub, Stderr: d.Output(),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(hub), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}})
	d.Cleanup(server.Close)
	return server.URL + "/" + filepath.Base(hub)
}

// mended repairs the remote, and returns what fails afterwards.
func (d *world) mended() (fails []string) {
	d.Helper()
	for _, f := range doctor.Mend(d.Context(), doctor.Surroundings{
		Open: func() (*workspace.Workspace, error) { return d.Workspace, nil }, Now: d.tick, Remote: "origin",
		Getenv: func(string) string { return "" }, Hint: func(error) string { return "" },
		Git:             func(context.Context, string, ...string) (string, error) { return "", gitrun.ErrNoGit },
		Key:             func(workspace.Session) (string, error) { return d.key("ada"), nil },
		Service:         func(context.Context, *workspace.Workspace) (host.Host, bool, error) { return nil, false, nil },
		FetchesJournals: func(context.Context, *gitstore.Repo) (bool, error) { return true, nil },
	}) {
		if f.Check == "hub" && f.Status == doctor.Fails {
			fails = append(fails, f.Message)
		}
	}
	return fails
}

// A ref that git cannot keep beside a record, in its place or above it, is removed from the hub before
// the record is put back there.
func TestHubFoldersInPlace(t *testing.T) {
	for transport, places := range map[string][]string{"a folder": {"below", "deep below", "above"}, "git's own receiver": {"below", "above"}} {
		for _, instead := range places {
			for _, kind := range []string{local.PullPrefix, local.ClosedPrefix, runlog.Prefix, runlog.EndedPrefix, triallog.Prefix, workspace.StopPrefix} {
				attack(t, transport+", "+instead+" "+path.Base(kind), func(d *world) { d.inPlace(kind, instead, transport == "a folder") })
			}
		}
	}
}

func (d *world) inPlace(kind, instead string, folder bool) {
	d.Helper()
	d.Attester = d.who["ada"]
	p := d.merged(skill("clove-hitch"))
	d.merged(skill("sheet-bend"))
	ofRun, _ := d.recorded()
	d.stopRef(d.signedStop(d.who["ada"], d.stopRecord("clove-hitch")))
	if kind == local.ClosedPrefix {
		if _, err := d.Archive.Fold(d.Context(), d.tick(), 1, nil); err != nil {
			d.Fatal(err)
		}
		d.clock = d.clock.Add(time.Hour)
	}
	if kind == runlog.EndedPrefix {
		d.endedRun(ofRun)
	}
	hub := d.hub()
	if !folder {
		d.git("remote", "set-url", "origin", d.served(hub))
		d.reopen()
	}
	refs := strings.Fields(d.git("for-each-ref", "--format=%(refname)", "refs/assent/"))
	top := strings.TrimSuffix(kind, "/")
	for _, ref := range refs {
		if !strings.HasPrefix(ref, top+"/") {
			continue
		}
		at := d.ref(ref).String()
		d.git("-C", hub, "update-ref", "-d", ref)
		switch instead {
		case "below":
			d.git("-C", hub, "update-ref", ref+"/x", at)
		case "deep below":
			d.git("-C", hub, "update-ref", ref+"/x/y", at)
		}
	}
	if instead == "above" {
		d.git("-C", hub, "update-ref", top, d.main().String())
	}
	fails := d.mended()
	_, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
	d.ok(err)
	for _, ref := range refs {
		if there := d.git("-C", hub, "for-each-ref", "--format=%(objectname)", ref); there != d.ref(ref).String() {
			d.succeeds("%s is not on the hub again, but %q: %v", ref, there, fails)
			return
		}
	}
	if len(fails) > 0 {
		d.succeeds("after the repair of %s: %v", p.ID, fails)
	}
}
