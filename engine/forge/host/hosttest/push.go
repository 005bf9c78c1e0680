package hosttest

import (
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

func testPushes(s *suite) {
	if why, lacks := s.Lacks[Pushers]; lacks {
		_, err := s.host.Pushes(s.ctx, s.open("csv").Branch)
		if !errors.Is(err, host.ErrUnknown) {
			s.Errorf("%s: %v; want ErrUnknown", why, err)
		}
		s.needs(Pushers)
	}
	branch, first := s.branch("csv")
	s.Push(s.T, Engine, branch+"-more", first)
	moves := []string{moved(s.Login(Engine), gone, first)}
	s.pushed(branch, moves)

	second := s.Commit(s.T, "skills/two.md", "two", first)
	third := s.Commit(s.T, "skills/three.md", "three", second)
	forced := s.Commit(s.T, "skills/four.md", "four", s.Tip(s.T, Base))
	for _, step := range []struct {
		who      string
		old, new tree.Hash
	}{{Ada, first, third}, {Bob, third, forced}, {Engine, forced, second}, {Ada, second, gone}, {Bob, gone, first}} {
		s.Push(s.T, step.who, branch, step.new)
		moves = append(moves, moved(s.Login(step.who), step.old, step.new))
		s.pushed(branch, moves)
	}
	s.pushed(branch+"-more", []string{moved(s.Login(Engine), gone, first)})
}

func moved(login string, before, after tree.Hash) string {
	return fmt.Sprintf("%s %s..%s", login, before.Short(), after.Short())
}

// pushed waits until the service reports exactly these moves.
func (s *suite) pushed(branch string, want []string) {
	s.Helper()
	s.until("pushes", func() string {
		list, err := s.host.Pushes(s.ctx, branch)
		if err != nil {
			return err.Error()
		}
		var got []string
		for _, p := range list {
			if p.At.IsZero() {
				return fmt.Sprintf("a push without a time: %+v", p)
			}
			got = append(got, moved(p.Login, p.Old, p.New))
		}
		return cmp.Diff(want, got)
	})
}

// testPushesRefuses: a branch without pushes has an empty list.
func testPushesRefuses(s *suite) {
	list, err := s.host.Pushes(s.ctx, "proposal/nowhere-00000000")
	if err != nil && !errors.Is(err, host.ErrUnknown) || len(list) > 0 {
		s.Errorf("a branch that is not there: %v, %v", list, err)
	}
}
