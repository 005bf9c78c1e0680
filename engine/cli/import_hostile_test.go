package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// badFolder is a folder that must draw a clear answer.
type badFolder struct {
	name string
	// make fills the skill's folder.
	make func(u user, dir string)
	// rule, if set, is the reason to skip it; otherwise it is proposed, and changes lists the
	// adaptations.
	rule    string
	changes string
	line    int
}

func content(text string) func(user, string) {
	return func(u user, dir string) { u.write(filepath.Join(dir, "SKILL.md"), []byte(text)) }
}

// beside is a good skill with one more file.
func beside(name string) func(user, string) {
	return func(u user, dir string) {
		u.write(filepath.Join(dir, "SKILL.md"), skillText("knot"))
		u.write(filepath.Join(dir, name), []byte("x\n"))
	}
}

const front = "---\nname: knot\ndescription: Ties a knot. Use when a knot is to be tied.\n"

func badFolders() []badFolder {
	bomb := "metadata:\n  a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	return []badFolder{
		{name: "empty", make: content(""), rule: "skill-front-matter", line: 1},
		{name: "only blanks", make: content("\n\n \n"), rule: "skill-front-matter", line: 1},
		{name: "no front matter", make: content("# Knot\n"), rule: "skill-front-matter", line: 1},
		{name: "open front matter", make: content(front), rule: "front-matter-unclosed", line: 1},
		{name: "not UTF-8", make: content(front + "---\n\nTie it. \xff\xfe\n"), rule: "skill-front-matter", line: 6},
		{name: "bomb", make: content(front + bomb + "---\n\nTie it.\n"), rule: "yaml-alias"},
		{name: "duplicate keys", make: content(front + "name: bend\n---\n\nTie it.\n"), rule: "yaml-duplicate", line: 4},
		{name: "no description", make: content("---\nname: knot\n---\n\nTie it.\n"), rule: "import-skill", line: 2},
		{name: "50 MB", rule: "limit-file-size", make: func(u user, dir string) {
			beside("references/rope.md")(u, dir)
			u.fail(os.Truncate(filepath.Join(dir, "references/rope.md"), 50<<20))
		}},
		{name: "10 000 files", rule: "limit-folder", make: func(u user, dir string) {
			beside("a.md")(u, dir)
			for i := range 10_000 {
				u.fail(os.WriteFile(filepath.Join(dir, fmt.Sprintf("step-%d.md", i)), nil, 0o600))
			}
		}},
		{name: "SKILL.md is a link", rule: "import-skill", make: func(u user, dir string) {
			u.fail(os.MkdirAll(dir, 0o700))
			u.link("/etc/passwd", filepath.Join(dir, "SKILL.md"))
		}},
		{name: "SKILL.md is a pipe", rule: "import-skill", make: func(u user, dir string) {
			u.fail(os.MkdirAll(dir, 0o700))
			u.pipe(filepath.Join(dir, "SKILL.md"))
		}},
		{name: "link to a file", changes: "left out", make: func(u user, dir string) {
			beside("a.md")(u, dir)
			u.link("/etc/passwd", filepath.Join(dir, "passwd"))
		}},
		{name: "link to a folder", changes: "left out", make: func(u user, dir string) {
			beside("a.md")(u, dir)
			u.link("/", filepath.Join(dir, "all"))
		}},
		{name: "pipe", changes: "left out", make: func(u user, dir string) {
			beside("a.md")(u, dir)
			u.pipe(filepath.Join(dir, "pipe"))
		}},
		{name: "byte order mark", make: content("\uFEFF" + front + "---\n\nTie it.\n"), changes: "byte order mark"},
		{name: "CRLF", make: content(strings.ReplaceAll(front+"---\n\nTie it.\n", "\n", "\r\n"))},
		{name: "no final newline", make: content(front + "---\n\nTie it.")},
		{name: "device name", make: beside("CON"), changes: "CON"},
		{name: "short name of .git", make: beside("GIT~1"), changes: "GIT~1"},
		{name: "newline in a name", make: beside("a\nb.md"), changes: "left out"},
		{name: "backslash in a name", make: beside(`..\x`), changes: "left out"},
		{name: "two spellings of SKILL.md", make: beside("skill.md"), changes: "left out"},
		{name: "name with a path", make: content("---\nname: ../../x\ndescription: Ties a knot.\n---\n\nTie it.\n"), changes: "renamed"},
	}
}

func (u user) fail(err error) {
	u.Helper()
	if err != nil {
		u.Fatal(err)
	}
}

func (u user) link(to, at string) {
	u.Helper()
	if err := os.Symlink(to, at); err != nil {
		u.Skipf("no symbolic links here: %v", err)
	}
}

func (u user) pipe(at string) {
	u.Helper()
	if err := exec.CommandContext(u.Context(), "mkfifo", at).Run(); err != nil {
		u.Skipf("no pipes here: %v", err)
	}
}

func TestImportOfHostileFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folders cannot be made on Windows")
	}
	u := newUser(t)
	before := u.written()
	for _, h := range badFolders() {
		t.Run(h.name, func(t *testing.T) {
			u := user{T: t, ws: u.ws}
			dir := filepath.Join(t.TempDir(), "knot")
			h.make(u, dir)
			h.check(u, dir)
			if u.written() != before {
				t.Error("something was written")
			}
		})
	}
}

// check imports the folder: really if it must be skipped, dry otherwise.
func (h badFolder) check(u user, dir string) {
	u.Helper()
	if h.rule == "" {
		got := u.imports(0, "--dry-run", dir)[0]
		if got.State != "waiting" || !strings.Contains(strings.Join(got.Changes, "\n"), h.changes) || strings.Contains(got.Name, "/") {
			u.Errorf("%+v", got)
		}
		return
	}
	got := u.imports(1, dir)[0]
	if !got.Skipped || got.ID != "" {
		u.Fatalf("not skipped: %+v", got)
	}
	for _, d := range got.Diagnostics {
		if d.Rule == h.rule && (h.line == 0 || d.Line == h.line) && d.Message != "" && d.Fix != "" && strings.HasPrefix(d.File, filepath.ToSlash(dir)) {
			return
		}
	}
	u.Errorf("no %s with a position and what to do among %+v", h.rule, got.Diagnostics)
}

// A folder's hostile name becomes a name, or is refused; terminals stay unharmed.
func TestImportOfHostileNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folders cannot be made on Windows")
	}
	u := newUser(t)
	src := t.TempDir()
	for _, name := range []string{"CON", "GIT~1", "a\nb", "\x1b[31mred", "-rf", "très bien", strings.Repeat("n", 200)} {
		u.write(filepath.Join(src, name, "SKILL.md"), []byte("---\ndescription: Ties a knot. Use when one is to be tied.\n---\n\nTie it.\n"))
		// one at a time, as their texts are alike
		if i := u.imports(0, "--dry-run", filepath.Join(src, name))[0]; i.State != "waiting" || strings.ContainsAny(i.Name, "\x1b\n/~ ") || len(i.Name) > 64 {
			t.Errorf("%+v", i)
		}
	}
	var errs bytes.Buffer
	_, out := u.with(t.Context(), &errs, "import", "--dry-run", src)
	if strings.Contains(out+errs.String(), "\x1b[31m") {
		t.Errorf("a folder's name coloured the terminal:\n%q", out)
	}
}
