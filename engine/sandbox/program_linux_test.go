package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox"
)

// TestInterpreterAtHome: an interpreter installed in a home, or in a shared folder there,
// brings its libraries and nothing else.
func TestInterpreterAtHome(t *testing.T) {
	for name, prefix := range map[string]string{"in the home itself": "", "with other programs' data": ".local", "in a folder of its own": "node-24"} {
		t.Run(name, func(t *testing.T) {
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			prefix := filepath.Join(home, prefix)
			node := filepath.Join(prefix, "bin", "node")
			says := "#!/bin/sh\nif [ \"$1\" = -p ]; then echo " + node + "; echo " + prefix + "; exit; fi\n" +
				"cat " + prefix + "/lib/library.js; cat " + home + "/.ssh/key " + home + "/.local/share/keyring " + prefix + "/bin/notes 2>/dev/null; exit 0\n"
			for file, text := range map[string]string{
				node: says, prefix + "/lib/library.js": "library ", home + "/.ssh/key": "key ", home + "/.local/share/keyring": "keyring ",
			} {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("HOME", home)
			t.Setenv("PATH", filepath.Dir(node)+":"+os.Getenv("PATH"))
			r, err := isolating(t).Run(t.Context(), sandbox.Spec{Args: []string{"node", "x.js"}})
			if err != nil || !r.OK() || strings.TrimSpace(string(r.Stdout)) != "library" {
				t.Errorf("%v: it sees %q %s %v", r.Ended, r.Stdout, r.Stderr, err)
			}
		})
	}
}
