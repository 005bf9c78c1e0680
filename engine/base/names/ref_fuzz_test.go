package names_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
)

// FuzzIsRef: an accepted ref stays below its folder, has no character that a shell
// interprets, and is not an option.
func FuzzIsRef(f *testing.F) {
	for _, ref := range []string{"refs/heads/main", "../x", "a..b", "-x", "a/.lock", "x.lock", "$(id)", "a/HEAD", "a//b", "a\x1b"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		if !names.IsRef(ref) {
			return
		}
		if !filepath.IsLocal(ref) || strings.ContainsAny(ref, " $`;|&<>(){}[]*?~^:\\'\"\x00") || strings.HasPrefix(ref, "-") || strings.HasSuffix(ref, ".lock") {
			t.Errorf("%q passes", ref)
		}
	})
}
