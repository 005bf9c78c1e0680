package doctor

import (
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/flows/notify"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/sandbox"
)

func checkGit(e *examination) {
	version, err := e.Git(e.ctx, ".", "version")
	switch {
	case errors.Is(err, gitrun.ErrNoGit):
		e.warn("git", "install git", "the git program is not installed: nothing can be cloned, and your checkout of main does not follow merges")
	case err != nil:
		e.broke("git", err)
	default:
		e.ok("git", "%s", version)
	}
}

func checkState(e *examination) {
	dir, err := keys.Home()
	if err == nil {
		err = home.At(dir).Writable()
	}
	if err != nil {
		e.fail("state", "make the folder writable, or point ASSENT_HOME elsewhere", "keys and the last state in force cannot be stored: %v", err)
		return
	}
	e.ok("state", "keys and the last state in force are stored in %s", dir)
}

// checkSandbox reports how this machine isolates programs, if it can.
func checkSandbox(e *examination) {
	box, err := sandbox.New(e.ctx)
	var refused *sandbox.Refusal
	switch {
	case errors.As(err, &refused):
		e.warn("sandbox", refused.Fix, "no tool or test can be run: %s", refused.Why)
	case err != nil:
		e.broke("sandbox", err)
	default:
		e.ok("sandbox", "programs are isolated by %s", strings.Join(box.Walls(), ", "))
	}
}

// checkNotices reports targets of notify.yaml that take no notices.
func checkNotices(e *examination) {
	dir, err := keys.Home()
	if err != nil {
		return // checkState reports it
	}
	box := notify.Box{Dir: dir, Now: e.Now}
	targets, diags, err := box.Targets()
	if err == nil && diags.HasErrors() {
		e.warn("notices", diags[0].Fix, "no one is notified: %s", diags[0])
		return
	}
	outages, oerr := box.Outages(targets)
	switch err = errors.Join(err, oerr); {
	case err != nil:
		e.broke("notices", err)
	case len(outages) > 0:
		for _, o := range outages {
			e.warn("notices", o.Fix(), "%s", o)
		}
	case len(targets) > 0:
		e.ok("notices", "no notice waits for a target of %s", notify.ConfigFile)
	}
}
