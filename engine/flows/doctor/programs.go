package doctor

import (
	"errors"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// checkPrograms looks for settings of the repository's own that name programs. While there is
// one, nothing is pulled or pushed.
func checkPrograms(e *examination) {
	repo := e.w.Repo
	settings, err := gitrun.Settings(e.ctx, gitrun.Call{Dir: repo.Top(), GitDir: repo.GitDir()})
	switch {
	case errors.Is(err, gitrun.ErrNoGit):
		return
	case err != nil:
		e.broke("programs", err)
		return
	}
	found := gitrun.Refusals(settings)
	for _, refusal := range found {
		e.fail("programs", refusal.Fix(), "assent pulls and pushes nothing: %v", refusal)
	}
	if len(found) == 0 {
		e.ok("programs", "the repository's configuration names no program that a pull or push would run")
	}
}
