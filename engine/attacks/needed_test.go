package attacks_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// defence is a check that stops an attack, by the name that marks it in the source.
type defence struct {
	// attack is the variant that must succeed without the defence: TestAttack…/name.
	attack string
	// with are defences behind this one, which must be off for the attack as well.
	with []string
	// instead is code that an engine without the defence runs before the marked statement; empty
	// if leaving the marked code out is enough.
	instead string
}

// TestDefencesAreNeeded switches off each defence of the product. The product has no such switch,
// so the marked sources are rewritten, built once, and run with one attack for each defence. The
// attack must then succeed.
func TestDefencesAreNeeded(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one build and some hundred attacks")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go program, so nothing can be built without a defence")
	}
	program := withSwitches(t)
	newWorld(t) // so that all of them copy one world, and none makes its own
	for _, name := range slices.Sorted(maps.Keys(defences())) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := defences()[name]
			out, err := attackWithout(program, d.attack, append(d.with, name))
			var failed *exec.ExitError
			switch {
			case err != nil && !errors.As(err, &failed):
				t.Error(err)
			case strings.Contains(out, "no tests to run"):
				t.Errorf("there is no attack %s", d.attack)
			case !strings.Contains(out, succeeded):
				t.Errorf("without it the attack %s fails all the same: nothing shows what the defence is for\n%s", d.attack, out)
			}
		})
	}
}

// attackWithout runs one variant with defences switched off.
func attackWithout(program, attack string, names []string) (string, error) {
	parts := strings.Split(attack, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(strings.ReplaceAll(p, " ", "_")) + "$"
	}
	cmd := exec.Command(program, "-test.run="+strings.Join(parts, "/"), "-test.count=1", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), "ASSENT_DEFENCES_OFF="+strings.Join(names, ","))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// withSwitches builds these tests on sources whose marked defences can be switched off, and
// compares the marks with the table.
func withSwitches(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	instead := map[string]string{}
	for name, d := range defences() {
		if d.instead != "" {
			instead[name] = d.instead
		}
	}
	dir := t.TempDir()
	overlay := map[string]string{}
	put := func(file string, data []byte) {
		at := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(file, root), string(filepath.Separator), "_"))
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[file] = at
	}
	marked := map[string]bool{}
	for _, file := range sources(t, root) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out, marks, err := rewrite(file, src, instead)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range marks {
			if _, known := defences()[m.name]; !known {
				t.Errorf("%s: no attack needs the defence %s", m.file, m.name)
			}
			marked[m.name] = true
		}
		if out != nil {
			put(file, out)
		}
	}
	for name := range defences() {
		if !marked[name] {
			t.Errorf("no source marks a defence %s", name)
		}
	}
	put(filepath.Join(root, "engine", "attacks", "defence", "defence.go"), []byte(switchSource))
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "attacks.test")
	if err := os.WriteFile(list, data, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", program, ".")
	build.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// sources lists the engine's source files without tests.
func sources(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(root, "engine"), func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "testdata":
			return fs.SkipDir
		case !e.IsDir() && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
			out = append(out, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDocumentedAttacks compares docs/attacks.md with the tests and the defences.
func TestDocumentedAttacks(t *testing.T) {
	doc, err := os.ReadFile("../../docs/attacks.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (TestAttack\w+)\(`).FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
	}
	attacked := map[string]bool{}
	for _, d := range defences() {
		attacked[strings.SplitN(d.attack, "/", 2)[0]] = true
	}
	for name := range there {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/attacks.md does not tell of %s", name)
		}
		if !attacked[name] {
			t.Errorf("no defence is named that %s needs", name)
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\| .* \| `+"`(TestAttack\\w+)`"+` \| (.*) \|$`).FindAllStringSubmatch(string(doc), -1) {
		if !there[row[1]] {
			t.Errorf("docs/attacks.md tells of %s, which is no test", row[1])
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			if _, known := defences()[m[1]]; !known {
				t.Errorf("docs/attacks.md tells of the defence %s, which nothing marks", m[1])
			}
		}
	}
}
