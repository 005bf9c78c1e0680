package doctor

import (
	"path/filepath"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

// checkHubFiles looks for refs of a remote in a folder whose files hold no object name, as a crash
// leaves them, and for locks there. Git accepts no push and no deletion of such a ref there, so only its file can be
// removed. It reports whether there are such refs.
func checkHubFiles(e *examination) bool {
	path, err := remote.Folder(e.ctx, e.w.Repo, e.Remote)
	if err != nil || path == "" {
		return false // the other checks of the remote report an error
	}
	hub, err := gitstore.Open(path)
	if err != nil {
		return false
	}
	locks, _ := hub.StaleLocks() // a push reports an error
	for _, l := range locks {
		if l.Age >= staleAfter {
			reportLock(e, hub, l)
		}
	}
	_, err = hub.Refs("refs/")
	broken, _ := gitstore.BrokenRefs(err)
	for _, ref := range broken {
		file := filepath.Join(hub.CommonDir(), filepath.FromSlash(ref.Name))
		if ref.Text != "" {
			e.fail("hub", "restore what the file held, or remove it; then assent push "+names.ShellWord(e.Remote)+" from a clone that has the ref",
				"the file %s holds %.60q, no object name, and git accepts no push there", file, ref.Text)
			continue
		}
		e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote)+", then assent push "+names.ShellWord(e.Remote)+" in a clone that has the ref",
			"the file %s is empty, as a crash leaves it, and git accepts no push there", file).
			by(removal(file), "remove it; a clone that has %s can publish it again", ref.Name)
	}
	return len(broken) > 0
}
