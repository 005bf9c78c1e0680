package proposals_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// Engines are clones of one hub, each used by processes of the real program. The result is checked
// with git alone, so that the program cannot agree with itself.

const engines = 6

// site is a hub and its clones.
type site struct {
	t   *testing.T
	dir string
	env []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, dir: t.TempDir()}
	bin, home := filepath.Join(s.dir, "bin"), filepath.Join(s.dir, "home")
	for _, dir := range []string{bin, home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// testscript.Main acts as the program of the name that it is called by.
	if err := os.Symlink(program, filepath.Join(bin, "assent")); err != nil {
		t.Skipf("symbolic links are needed to run the program: %v", err)
	}
	config := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(config, []byte(clitest.GitConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "ASSENT_") {
			s.env = append(s.env, kv)
		}
	}
	s.env = append(s.env, "HOME="+home, "ASSENT_HOME="+filepath.Join(home, "assent"), "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC")
	return s
}

func (s *site) command(dir, program string, args ...string) *exec.Cmd {
	if program == "assent" {
		program = filepath.Join(s.dir, "bin", "assent")
	}
	cmd := exec.CommandContext(s.t.Context(), program, args...)
	cmd.Dir, cmd.Env = filepath.Join(s.dir, dir), s.env
	return cmd
}

// try returns a program's output and error.
func (s *site) try(dir, program string, args ...string) (string, error) {
	var out, problems bytes.Buffer
	cmd := s.command(dir, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s: %s %s: %w\n%s%s", dir, program, strings.Join(args, " "), err, out.String(), problems.String())
	}
	return strings.TrimSpace(out.String()), err
}

func (s *site) must(dir, program string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, program, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// propose opens a proposal in a clone and returns its id.
func (s *site) propose(dir, name string) (string, error) {
	skill := filepath.Join(s.dir, "skills-of-"+dir, name)
	if err := os.MkdirAll(skill, 0o755); err != nil {
		return "", err
	}
	text := fmt.Sprintf("---\nname: %s\ndescription: Count up to the number %s when somebody asks for it.\n---\nCount.\n", name, name)
	if err := os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte(text), 0o600); err != nil {
		return "", err
	}
	out, err := s.try(dir, "assent", "propose", skill, "--agent", "scout", "--json")
	if err != nil {
		return "", err
	}
	var answer struct {
		ID string `json:"id"`
	}
	err = json.Unmarshal([]byte(out), &answer)
	return answer.ID, err
}

// begin makes the hub with one proposal that all clones have, and the clones.
func (s *site) begin() (shared string) {
	s.t.Helper()
	s.must("", "assent", "init", "first", "--agent", "scout")
	s.must("", "git", "init", "-q", "--bare", "-b", "main", "hub.git")
	s.must("first", "git", "remote", "add", "origin", "../hub.git")
	shared, err := s.propose("first", "shared")
	if err != nil {
		s.t.Fatal(err)
	}
	s.must("first", "assent", "push")
	for i := range engines {
		s.must("", "assent", "clone", "hub.git", fmt.Sprint("clone", i))
		s.must(fmt.Sprint("clone", i), "assent", "pull")
	}
	return shared
}

// concurrently runs one engine in each clone at the same time.
func (s *site) concurrently(work func(clone string, i int) error) {
	s.t.Helper()
	var group sync.WaitGroup
	for i := range engines {
		group.Go(func() {
			if err := work(fmt.Sprint("clone", i), i); err != nil {
				s.t.Error(err)
			}
		})
	}
	group.Wait()
}

// settle pushes and pulls everywhere until all clones have everything.
func (s *site) settle() {
	s.t.Helper()
	for range 2 {
		for i := range engines {
			s.must(fmt.Sprint("clone", i), "assent", "push")
			s.must(fmt.Sprint("clone", i), "assent", "pull")
		}
	}
}

// converged compares all journals of all clones with the hub's, by git.
func (s *site) converged() {
	s.t.Helper()
	refs := func(dir string) string {
		return s.must(dir, "git", "for-each-ref", "--format=%(objectname) %(refname)", "refs/assent/pulls/")
	}
	want := refs("hub.git")
	for i := range engines {
		if got := refs(fmt.Sprint("clone", i)); got != want {
			s.t.Errorf("clone%d has\n%s\nthe hub has\n%s", i, got, want)
		}
		s.must(fmt.Sprint("clone", i), "git", "fsck", "--strict", "--no-dangling")
	}
	s.must("hub.git", "git", "fsck", "--strict", "--no-dangling")
}

// Six engines propose and comment on the same and on different proposals, and push
// at the same hub: nothing is lost, and all journals converge.
func TestManyEnginesOneHub(t *testing.T) {
	s := newSite(t)
	shared := s.begin()
	var mu sync.Mutex
	wanted := map[string][]string{} // id → comments
	s.concurrently(func(clone string, i int) error {
		own, err := s.propose(clone, fmt.Sprint("own-", i))
		if err != nil {
			return err
		}
		for n := range 2 {
			for _, id := range []string{shared, own} {
				remark := fmt.Sprintf("%d by %s on %s", n, clone, id)
				if _, err := s.try(clone, "assent", "comment", id, "-m", remark); err != nil {
					return err
				}
				mu.Lock()
				wanted[id] = append(wanted[id], remark)
				mu.Unlock()
			}
			if _, err := s.try(clone, "assent", "push"); err != nil {
				return err
			}
		}
		return nil
	})
	s.settle()
	s.converged()
	for id, remarks := range wanted {
		log := s.must("hub.git", "git", "log", "--format=%s", "refs/assent/pulls/"+id)
		for _, remark := range remarks {
			if n := strings.Count("\n"+log+"\n", "\ncomment: "+remark+"\n"); n != 1 {
				t.Errorf("%s: %q is there %d times in\n%s", id, remark, n, log)
			}
		}
		s.must("hub.git", "git", "show-ref", "--verify", "-q", "refs/heads/proposal/"+id)
	}
	if len(wanted) != engines+1 {
		t.Errorf("%d proposals", len(wanted))
	}
}

// Processes are killed in the middle of pushes and pulls: the next one carries on.
func TestKilledWhileExchanging(t *testing.T) {
	s := newSite(t)
	shared := s.begin()
	clones := []string{"clone0", "clone1"}
	var remarks []string
	for round := range 12 {
		for _, clone := range clones {
			remark := fmt.Sprintf("round-%d-%s", round, clone)
			// A git that the killed one had started may still be packing refs.
			if _, err := s.try(clone, "assent", "comment", shared, "-m", remark); err != nil {
				if !strings.Contains(err.Error(), "is held by another process") {
					t.Fatal(err)
				}
				s.must(clone, "assent", "comment", shared, "-m", remark)
			}
			remarks = append(remarks, remark)
			cmd := s.command(clone, "assent", []string{"push", "pull"}[round%2])
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			kill := time.AfterFunc(rand.N(250*time.Millisecond), func() { _ = cmd.Process.Kill() })
			_ = cmd.Wait() // killed or done: both are fine
			kill.Stop()
		}
	}
	s.settle()
	s.converged()
	log := s.must("hub.git", "git", "log", "--format=%s", "refs/assent/pulls/"+shared)
	for _, remark := range remarks {
		if n := strings.Count("\n"+log+"\n", "\ncomment: "+remark+"\n"); n != 1 {
			t.Errorf("%s is there %d times", remark, n)
		}
	}
}
