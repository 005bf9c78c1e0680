package forgetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

// together runs n functions at once and returns their errors.
func together(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var begin, end sync.WaitGroup
	begin.Add(1)
	for i := range n {
		end.Go(func() {
			begin.Wait()
			errs[i] = do(i)
		})
	}
	begin.Done()
	end.Wait()
	return errs
}

// winners counts successes; every other error must be ErrStale.
func (s *suite) winners(errs []error) []int {
	s.Helper()
	var won []int
	for i, err := range errs {
		var stale *forge.ErrStale
		switch {
		case err == nil:
			won = append(won, i)
		case !errors.As(err, &stale):
			s.Errorf("%d: %v; want ErrStale", i, err)
		}
	}
	return won
}

// testRacingMerges lets pull requests race for one main until all are merged. Each round
// has exactly one winner, and nothing is lost.
func testRacingMerges(s *suite) {
	const n = 5
	var left []forge.Pull
	for i := range n {
		left = append(left, s.open(fmt.Sprintf("racer-%d", i)))
	}
	began := s.main()
	for round := 1; len(left) > 0; round++ {
		var asked []forge.Merge
		base := s.main()
		for _, p := range left {
			m := s.merge(p)
			var err error
			m.Tree, err = s.Repo.WriteTree(m.Tree, []tree.Edit{{Path: "merged/" + p.ID, Content: []byte(p.ID)}})
			s.ok(err)
			asked = append(asked, m)
		}
		commits := make([]tree.Hash, len(left))
		won := s.winners(together(len(left), func(i int) (err error) {
			commits[i], err = s.kublai.Forge.Merge(s.ctx, left[i].ID, asked[i])
			return err
		}))
		if len(won) != 1 {
			s.Fatalf("round %d: %d merges of %s won", round, len(won), base.Short())
		}
		i := won[0]
		s.merged(left[i], asked[i], commits[i])
		left = append(left[:i], left[i+1:]...)
		for _, p := range left {
			s.same("a loser's state", s.get(p.ID).State, forge.Open)
		}
	}
	s.onMain(began, n)
}

// onMain counts the commits that main gained and the files that they added.
func (s *suite) onMain(since tree.Hash, want int) {
	s.Helper()
	n := 0
	at := s.main()
	for ; at != since; n++ {
		c, err := s.Repo.Commit(at)
		s.ok(err)
		at = c.Parents[0]
	}
	s.same("commits on main", n, want)
	view, err := s.Repo.Snapshot(s.main())
	s.ok(err)
	files, err := view.List("merged")
	s.ok(err)
	s.same("what they brought", len(files), want)
}

func testRacingMergesOfOne(s *suite) {
	p := s.open("popular")
	m := s.merge(p)
	const n = 6
	asked := make([]forge.Merge, n)
	for i := range asked {
		asked[i] = m
		asked[i].At = s.now()
	}
	commits := make([]tree.Hash, n)
	won := s.winners(together(n, func(i int) (err error) {
		commits[i], err = s.kublai.Forge.Merge(s.ctx, p.ID, asked[i])
		return err
	}))
	if len(won) == 0 {
		s.Fatal("no call merged it")
	}
	for _, i := range won {
		s.same("all calls return the same commit", commits[i], s.main())
	}
	c, err := s.Repo.Commit(s.main())
	s.ok(err)
	s.same("main gained one commit", c.Parents, []tree.Hash{m.Base, m.Head})
	s.same("merged by", s.get(p.ID).Merge, s.main())
}

func testRacingPushes(s *suite) {
	p := s.open("crowded")
	const n, rounds = 5, 3
	for range rounds {
		heads := make([]tree.Hash, n)
		asked := make([]forge.Push, n)
		for i := range heads {
			heads[i] = s.commit(p.Head, "skills/n.md", fmt.Sprint(i))
			asked[i] = s.push(p, heads[i])
		}
		won := s.winners(together(n, func(i int) error {
			_, err := s.kublai.Forge.Push(s.ctx, p.ID, asked[i])
			return err
		}))
		if len(won) != 1 {
			s.Fatalf("%d pushes onto %s won", len(won), p.Head.Short())
		}
		p = s.get(p.ID)
		s.same("the head", p.Head, heads[won[0]])
		s.same("the branch", s.Tip(s.T, p.Branch), p.Head)
	}
	for _, push := range s.activity(p.ID).Pushes {
		s.same("who pushed", push.By, s.kublai.Actor)
	}
	s.same("pushes", len(s.activity(p.ID).Pushes), rounds+1)
}

func testRacingOpenings(s *suite) {
	const n = 5
	req := s.opening("claimed")
	asked := make([]forge.Opening, n)
	for i := range asked {
		asked[i] = req
		asked[i].Head = s.commit(s.main(), "skills/claimed.md", fmt.Sprint(i))
	}
	won := -1
	for i, err := range together(n, func(i int) error {
		_, err := s.kublai.Forge.Open(s.ctx, asked[i])
		return err
	}) {
		var stale *forge.ErrStale
		switch {
		case err == nil && won >= 0:
			s.Error("two opened the same id")
		case err == nil:
			won = i
		case !errors.Is(err, forge.ErrExists) && !errors.As(err, &stale):
			s.Errorf("%d: %v", i, err)
		}
	}
	if won < 0 {
		s.Fatal("no call opened it")
	}
	s.same("the head", s.get(req.ID).Head, asked[won].Head)
	s.same("the branch", s.Tip(s.T, req.Branch), asked[won].Head)
}

// testRacingTalk: no comment is lost when several are added at once.
func testRacingTalk(s *suite) {
	p := s.open("chatty")
	const n = 8
	asked := make([]forge.Comment, n)
	for i := range asked {
		asked[i] = forge.Comment{By: s.kublai.Actor, Body: fmt.Sprint("comment ", i), At: s.now()}
	}
	for i, err := range together(n, func(i int) error { return s.kublai.Forge.Comment(s.ctx, p.ID, asked[i]) }) {
		if err != nil {
			s.Errorf("%d: %v", i, err)
		}
	}
	seen := map[string]int{}
	for _, c := range s.activity(p.ID).Comments {
		seen[c.Body]++
	}
	for _, c := range asked {
		s.same(c.Body, seen[c.Body], 1)
	}
}
