package begin

import (
	"runtime/debug"
	"strings"
	"testing"
)

// The workflows run the engine that wrote them, where its build says which that is.
func TestEngineOf(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	for name, c := range map[string]struct {
		version, revision string
		commit, find      string
	}{
		"built in a clone":      {"v0.5.0-0.20260310120000-0123456789ab", hash, hash, ""},
		"from a module version": {"v0.5.0", "", "", "'refs/tags/v0.5.0*' prints it"},
		"from a commit":         {"v0.5.1-0.20260310120000-0123456789ab", "", "", "git rev-parse 0123456789ab in a clone"},
		"before any tag":        {"v0.0.0-20260310120000-0123456789ab+dirty", "", "", "git rev-parse 0123456789ab in a clone"},
		"not stamped":           {"(devel)", "", "", "git rev-parse HEAD in the folder that it was built from"},
		"nothing known":         {"", "", "", "git ls-remote https://github.com/assent-dev/assent HEAD"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}}
		if c.revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision}}
		}
		if commit, find := engineOf(info); commit != c.commit || !strings.Contains(find, c.find) || (find == "") != (c.find == "") {
			t.Errorf("%s: %q, %q", name, commit, find)
		}
	}
}

// A build that does not say its commit finds it at the engine's repository.
func TestEngineAmong(t *testing.T) {
	commit := func(digit string) string { return strings.Repeat(digit, 40) }
	refs := commit("1") + "\tHEAD\n" + commit("1") + "\trefs/heads/main\n" + commit("2") + "\trefs/tags/v0.4.0\n" +
		commit("3") + "\trefs/tags/v0.5.0\n" + commit("4") + "\trefs/tags/v0.5.0^{}\n" + "none\tHEAD\n"
	for built, want := range map[string]string{
		"v0.4.0": commit("2"), "v0.5.0": commit("4"), "v9.9.9": "", "(devel)": commit("1"), "": commit("1"),
		"v0.5.1-0.20260310120000-" + commit("1")[:12]: commit("1"), "v0.5.1-0.20260310120000-0123456789ab": "",
	} {
		if got := engineAmong(refs, built); got != want {
			t.Errorf("%q: %q, want %q", built, got, want)
		}
	}
}
