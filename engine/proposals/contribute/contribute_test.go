package contribute

import (
	"errors"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

func knot(more string) []tree.Edit {
	return []tree.Edit{
		{Path: "skills/knot/SKILL.md", Mode: tree.Regular, Content: []byte("---\nname: knot\ndescription: Ties a knot. Use when two ropes are to be joined.\n---\n# Knot\n\nCross the ropes.\n" + more)},
		{Path: "skills/knot/upstream.yaml", Content: []byte("source: /home/ada/private\ntree: 8f1c0f6f0c6d4e8b8a1c4c1f6f0c6d4e8b8a1c4c\n")},
	}
}

// What must not leave is refused, with its place.
func TestClean(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing": {"", ""}, "a secret": {"\nUse ghp_x9Kq2LmZ8rTyVb4NcJd7QkWmPq2LxTyVb4Nc to log in.\n", "skills/knot/SKILL.md:9"},
		"a path of this machine": {"\n\nSee /home/ada/notes.\n", "skills/knot/SKILL.md:10"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bundle{edits: knot(tc.text)[:1]}
			err := b.clean([]string{"/home/ada", "/"})
			var refused *Refusal
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

// An offer over HTTP is one commit on the other main with the skill's files and a draft, made by the
// content alone: a second one sends nothing.
func TestRunOverHTTP(t *testing.T) {
	other := worldtest.Begin(t, []string{"rover"}, tree.Edit{Path: "soul/rover/SOUL.md", Content: []byte("# Rover\n\n## Learned Capabilities\n")})
	ours := worldtest.Begin(t, []string{"scout"}, append(knot(""), tree.Edit{Path: "soul/scout/SOUL.md", Content: []byte("# Scout\n\n## Learned Capabilities\n")})...)
	url := served(t, other.Dir)
	for key, value := range map[string]string{"user.name": "Ada", "user.email": "ada@example.org"} {
		ours.OK(exec.Command("git", "-C", ours.Dir, "config", key, value).Run())
	}
	w, err := ours.On(nil)
	if err != nil {
		t.Fatal(err)
	}
	cur, err := w.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Folder: capability.FolderOf("skills/knot"), To: url, As: "rover"}
	sent := offered(t, cur, o, Sent)
	repo, err := gitstore.Open(other.Dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := repo.Ref(sent.Ref)
	if err != nil || head != sent.Head {
		t.Fatalf("%s is at %s, %v, want %s", sent.Ref, head, err, sent.Head)
	}
	before, err := repo.Snapshot(sent.Base)
	if err != nil {
		t.Fatal(err)
	}
	after, err := repo.Snapshot(head)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := tree.Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	if got := strings.Join(paths, " "); got != "proposals/"+filepath.Base(sent.Ref)+".md skills/knot/SKILL.md" {
		t.Errorf("it changes %s", got)
	}
	if again := offered(t, cur, o, Waiting); again.Known != sent.Ref {
		t.Errorf("the second one is known as %q", again.Known)
	}
	o.As = "scout"
	var refused *Refusal
	if _, err := Run(t.Context(), cur, o); !errors.As(err, &refused) || !strings.Contains(err.Error(), "rover") {
		t.Errorf("an unknown agent: %v", err)
	}
}

func offered(t *testing.T, cur workspace.Session, o Options, want string) Offer {
	t.Helper()
	out, err := Run(t.Context(), cur, o)
	if err != nil || out.State != want {
		t.Fatalf("%s, %v, want %s", out.State, err, want)
	}
	return out
}

// served serves a repository with git's own CGI program.
func served(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	program := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, serr := os.Stat(program); err != nil || serr != nil {
		t.Skip("git http-backend is not installed")
	}
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[http]\n\treceivepack = true\n[safe]\n\tdirectory = *\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{Path: program, Dir: dir, Stderr: t.Output(), Env: []string{
		"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + config,
	}})
	t.Cleanup(server.Close)
	return server.URL + "/.git"
}
