package repositories_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// place is one case's own copy of the prepared workspace, and the person in it.
type place struct {
	*testing.T
	// top holds everything of the case; ws is where commands are run.
	top, ws string
	// env is added to the surroundings of every command, assent's and git's.
	env []string
	// as runs commands as another user, where the case says so.
	as func(*exec.Cmd)
	// program is assent, where it is not the one on the path.
	program string
}

// result is the exit code and output of a command.
type result struct {
	code     int
	out, err string
}

func (r result) all() string { return r.out + r.err }

// prepared makes the workspace that the cases copy: one merged proposal, a second
// skill ready to be proposed, a configuration and keys of its own.
func prepared(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	p := &place{T: t, top: t.TempDir()}
	p.ws = filepath.Join(p.top, "ws")
	p.write(filepath.Join(p.top, "home", ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	for _, name := range []string{"hum", "bowline"} {
		p.write(filepath.Join(p.top, name, "SKILL.md"), "---\nname: "+name+"\ndescription: Ties a knot named "+name+". Use when something must hold.\n---\n# "+name+"\n\nTie it.\n")
	}
	p.assent("init", p.ws, "--agent", "scout").exits(p, 0)
	p.merged("hum")
	return p.top
}

// copied returns a place that is a copy of the prepared one.
func copied(t *testing.T, from string) *place {
	t.Helper()
	p := &place{T: t, top: filepath.Join(t.TempDir(), "case")}
	p.ok(copyTree(from, p.top))
	p.ws = filepath.Join(p.top, "ws")
	return p
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), info.Mode().Perm())
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, info.Mode().Perm()|0o200)
	})
}

func (p *place) ok(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *place) write(path, content string) {
	p.Helper()
	p.ok(os.MkdirAll(filepath.Dir(path), 0o755))
	p.ok(os.WriteFile(path, []byte(content), 0o644))
}

func (p *place) in(elem ...string) string { return filepath.Join(append([]string{p.ws}, elem...)...) }

func (p *place) read(path string) string {
	p.Helper()
	data, err := os.ReadFile(path)
	p.ok(err)
	return string(data)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// run runs a program in ws.
func (p *place) run(name string, args ...string) result {
	p.Helper()
	program, err := exec.LookPath(name)
	p.ok(err)
	if name == "assent" && p.program != "" {
		program = p.program
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = p.ws
	if !exists(p.ws) {
		cmd.Dir = p.top
	}
	cmd.Env = p.surroundings()
	if p.as != nil {
		p.as(cmd)
	}
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.Fatalf("%s %v: %v", name, args, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

// surroundings returns this process's environment with the case's own home, without variables that
// would affect the case.
func (p *place) surroundings() []string {
	env := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "ASSENT_") && !strings.HasPrefix(name, "XDG_") {
			env[name] = value
		}
	}
	home := filepath.Join(p.top, "home")
	maps.Copy(env, map[string]string{"HOME": home, "USERPROFILE": home, "ASSENT_HOME": filepath.Join(home, "assent"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "SSH_AUTH_SOCK": "", "TZ": "UTC", "LC_ALL": "C"})
	for _, kv := range p.env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

func (p *place) assent(args ...string) result {
	p.Helper()
	return p.run("assent", args...)
}

// git runs the git program, which must succeed, and returns its output.
func (p *place) git(args ...string) string {
	p.Helper()
	r := p.run("git", args...)
	if r.code != 0 {
		p.Fatalf("git %v: exit code %d\n%s", args, r.code, r.all())
	}
	return strings.TrimRight(r.out, "\n")
}

// plainGit runs git without the case's additions to the surroundings.
func (p *place) plainGit(args ...string) string {
	p.Helper()
	plain := *p
	plain.env, plain.as = nil, nil
	return plain.git(args...)
}

// exits checks the exit code.
func (r result) exits(p *place, want int) result {
	p.Helper()
	if r.code != want {
		p.Fatalf("exit code %d, want %d\n%s", r.code, want, r.all())
	}
	return r
}

// says checks that the output contains a text.
func (r result) says(p *place, want string) result {
	p.Helper()
	if !strings.Contains(r.all(), want) {
		p.Fatalf("nothing of %q is said:\n%s", want, r.all())
	}
	return r
}

// propose proposes the skill and returns the proposal's id.
func (p *place) propose(skill string) string {
	p.Helper()
	return p.id(p.assent("propose", filepath.Join(p.top, skill), "--agent", "scout", "--json").exits(p, 0))
}

// id returns the proposal's id from JSON output.
func (p *place) id(r result) string {
	p.Helper()
	var answer struct{ ID string }
	p.ok(json.Unmarshal([]byte(r.out), &answer))
	return answer.ID
}

// merged proposes, reviews and merges a skill, and returns the id and the result of the merge.
func (p *place) merged(skill string) (string, result) {
	p.Helper()
	id := p.propose(skill)
	p.assent("review", id, "approve").exits(p, 0)
	return id, p.assent("merge", id, "--local").exits(p, 0).says(p, "it is in force")
}

// stdin runs git with in as its standard input.
func (p *place) stdin(in io.Reader, args ...string) {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.ws, p.surroundings(), in
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
