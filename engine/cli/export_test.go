package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Every way in which an import changes a folder, and the same bytes back.
func TestExportOriginalIsWhatWasImported(t *testing.T) {
	u := newUser(t)
	src := t.TempDir()
	files := map[string]string{
		"bom/SKILL.md":            "\uFEFF---\nname: bom\ndescription: Ties one. Use when one is to be tied.\n---\n\nTie it.\n",
		"crlf/SKILL.md":           "---\r\nname: CRLF\r\ndescription: Sorts a pantry. Use when jars stand about.\r\nextra: yes\r\n---\r\n\r\nSort it.\r\n",
		"case/Skill.md":           "---\nname: case\ndescription: Packs a trunk. Use before a journey by rail.\n---\n\nPack it.",
		"quotes/SKILL.md":         "---\nname: quotes\ndescription: Cuts a hedge: use when it grows over the path.\n---\n\nCut it.\n",
		"plain/SKILL.md":          string(skillText("plain")),
		"plain/references/a.md":   "no final newline",
		"plain/assets/lines.txt":  "a\r\nb\r",
		"left/SKILL.md":           string(skillText("left")),
		"left/references/NUL.txt": "a device on some systems",
	}
	for path, text := range files {
		if runtime.GOOS == "windows" && strings.Contains(path, "NUL") {
			delete(files, path)
			continue
		}
		u.write(filepath.Join(src, filepath.FromSlash(path)), []byte(text))
	}
	for _, batch := range []string{"--batch=false", "--batch"} {
		t.Run(batch, func(t *testing.T) {
			u := newUser(t)
			var ids, names []string
			for _, i := range u.imports(0, batch, src) {
				names = append(names, i.Name)
				if !slices.Contains(ids, i.ID) {
					ids = append(ids, i.ID)
				}
			}
			for _, id := range ids {
				u.merge(id)
			}
			u.sameAs(files, names)
		})
	}
}

// sameAs exports the originals and compares them with the files they came from.
func (u user) sameAs(files map[string]string, names []string) {
	u.Helper()
	to := filepath.Join(u.TempDir(), "to")
	code, out, errs := u.run(append([]string{"export", "--json", "--original", "--to", to}, names...)...)
	if code != 0 {
		u.Fatalf("export: exit code %d\n%s", code, errs)
	}
	var all []struct {
		Name    string
		Files   []struct{ Path string }
		Missing []string
	}
	u.fail(json.Unmarshal([]byte(out), &all))
	got := 0
	for _, c := range all {
		for _, m := range c.Missing {
			if _, there := files[c.Name+"/"+m]; there {
				got++
			}
		}
		for _, f := range c.Files {
			data, err := os.ReadFile(filepath.Join(to, c.Name, filepath.FromSlash(f.Path)))
			if want, known := files[c.Name+"/"+f.Path]; err != nil || !known || string(data) != want {
				u.Errorf("%s/%s: %q, want %q (%v)", c.Name, f.Path, data, want, err)
			}
			got++
		}
	}
	if got != len(files) {
		u.Errorf("%d files of %d came back or are named as missing:\n%s", got, len(files), out)
	}
}
