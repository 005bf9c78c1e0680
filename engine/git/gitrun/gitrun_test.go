package gitrun_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// repository creates an empty repository whose configuration ends with text.
func repository(t *testing.T, text string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "mine"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	config := filepath.Join(dir, ".git", "config")
	old, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(old, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func online(t *testing.T, dir string) error {
	t.Helper()
	_, err := gitrun.Command(t.Context(), gitrun.Call{Dir: dir, Reach: gitrun.Online, Args: []string{"fetch"}})
	return err
}

func TestRefusedSettings(t *testing.T) {
	for _, text := range []string{
		"[core]\n\tsshCommand = x\n", "[core]\n\tgitproxy = x\n", "[core]\n\taskPass = x\n", "[core]\n\taskPass\n", "[core]\n\talternateRefsCommand = x\n",
		"[remote \"a.b\"]\n\tuploadPack = x\n", "[remote \"a\\\"b\"]\n\treceivepack = x\n", "[remote \"o\"]\n\tvcs = x\n", "[remote \"o\"]\n\tproxy = x\n",
		"[credential]\n\thelper = x\n", "[credential \"https://h\"]\n\thelper = x\n", "[credential]\n\tuiHelper = x\n", "[credential]\n\tprotectProtocol = false\n",
		"[http]\n\tproxy = x\n", "[http \"https://h\"]\n\tsslVerify = false\n", "[http]\n\tneverHeardOf = x\n",
		"[url \"ext::sh \"]\n\tinsteadOf = x\n", "[url \"-x\"]\n\tinsteadOf = y\n", "[url \"::x\"]\n\tinsteadOf = y\n", "[url \"odd://x\"]\n\tpushInsteadOf = y\n",
		"[hook \"x\"]\n\tcommand = y\n", "[gc]\n\trecentObjectsHook = x\n", "[push]\n\tgpgSign = if-asked\n[gpg]\n\tprogram = x\n",
	} {
		var refusal *gitrun.Refusal
		if err := online(t, repository(t, text)); !errors.As(err, &refusal) {
			t.Errorf("%s is obeyed: %v", text, err)
		} else if refusal.Line == 0 || !strings.Contains(refusal.Fix(), "git config --local --unset-all") {
			t.Errorf("%s: line %d, %s", text, refusal.Line, refusal.Fix())
		}
	}
}

func TestObeyedSettings(t *testing.T) {
	for _, text := range []string{
		"", "[remote \"origin\"]\n\turl = /x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\tgh-resolved = base\n\tprune = false\n\tpushurl = git@h:x\n",
		"[credential]\n\thelper =\n\tuseHttpPath = true\n", "[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic x\n", "[http]\n\tpostBuffer = 1\n",
		"[url \"git@h:\"]\n\tinsteadOf = https://h/\n", "[url \"/hubs/\"]\n\tinsteadOf = hub:\n", "[url \"https://h/\"]\n\tpushInsteadOf = h:\n",
		"[core]\n\thooksPath = x\n\tfsmonitor = x\n\tpager = x\n\teditor = x\n", "[gpg]\n\tprogram = x\n", "[diff \"x\"]\n\tcommand = y\n[merge \"x\"]\n\tdriver = y\n",
		"[difftool \"x\"]\n\tcmd = y\n[alias]\n\tx = !y\n[filter \"lfs\"]\n\tprocess = git-lfs\n", "[push]\n\tgpgSign = false\n[gpg]\n\tprogram = x\n",
	} {
		if err := online(t, repository(t, text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestOwnSettings: the user's own settings are obeyed, from any source.
func TestOwnSettings(t *testing.T) {
	dir := repository(t, "")
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("[core]\n\tsshCommand = x\n[credential]\n\thelper = y\n[http]\n\tproxy = z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
	t.Setenv("GIT_CONFIG_VALUE_0", "x")
	if err := online(t, dir); err != nil {
		t.Error(err)
	}
}

// TestRefusedRuns: git does not run if its settings cannot be listed, and some programs are
// refused offline, too.
func TestRefusedRuns(t *testing.T) {
	if err := online(t, repository(t, "[core\n")); err == nil {
		t.Error("a configuration that git cannot read is taken for an empty one")
	}
	dir := repository(t, "[hook \"x\"]\n\tcommand = y\n[core]\n\tsshCommand = x\n")
	var refusal *gitrun.Refusal
	if _, err := gitrun.Output(t.Context(), gitrun.Call{Dir: dir, Args: []string{"pack-refs"}}, ""); !errors.As(err, &refusal) || refusal.Key != "hook.x.command" {
		t.Errorf("%v", err)
	}
	if _, err := gitrun.Output(t.Context(), gitrun.Call{Dir: dir, Args: []string{"config", "core.bare"}}, ""); err != nil {
		t.Error(err)
	}
}

// A repository cannot have git keep more of a large file in memory.
func TestLargeFiles(t *testing.T) {
	dir := repository(t, "[core]\n\tbigFileThreshold = 2g\n")
	out, err := gitrun.Output(t.Context(), gitrun.Call{Dir: dir, Args: []string{"config", "--get", "core.bigFileThreshold"}}, "")
	if err != nil || strings.TrimSpace(string(out)) != "16m" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestEnvironment(t *testing.T) {
	dir := repository(t, "")
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG", "GIT_EXTERNAL_DIFF", "GIT_GRAFT_FILE", "GIT_ATTR_SOURCE", "GIT_ICASE_PATHSPECS"} {
		t.Setenv(name, "elsewhere")
	}
	t.Setenv("GIT_ALLOW_PROTOCOL", "ext:https:file")
	t.Setenv("GIT_SSH_COMMAND", "ssh -x")
	for reach, want := range map[gitrun.Reach]string{gitrun.Inside: "", gitrun.Online: "file:https", gitrun.Outside: "file:https"} {
		cmd, err := gitrun.Command(t.Context(), gitrun.Call{Dir: dir, Reach: reach, Args: []string{"version"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range cmd.Env {
			if strings.HasSuffix(kv, "=elsewhere") {
				t.Errorf("git sees %s", kv)
			}
		}
		for _, kv := range []string{"GIT_ALLOW_PROTOCOL=" + want, "GIT_SSH_COMMAND=ssh -x", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull} {
			if !slices.Contains(cmd.Env, kv) {
				t.Errorf("git does not see %s", kv)
			}
		}
		if !slices.Contains(cmd.Args, "core.hooksPath="+os.DevNull) {
			t.Errorf("hooks are on: %q", cmd.Args)
		}
	}
}

// TestCheckout: a checkout keeps conversions and the index, and knows no filter.
func TestCheckout(t *testing.T) {
	dir := repository(t, "[core]\n\tautocrlf\n\tsymlinks = \"fa\\u006ce\"\n")
	if _, err := gitrun.OpenCheckout(t.Context(), dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git")); err == nil {
		t.Error("a configuration that git cannot read is taken for an empty one")
	}
	dir = repository(t, "[core]\n\tautocrlf\n[filter \"f\"]\n\tsmudge = tr a b\n\tclean = tr b a\n\trequired\n")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/info/attributes", "a.txt filter=f\nraw.txt -text\n")
	c, err := gitrun.OpenCheckout(t.Context(), dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run := func(stdin string, args ...string) string {
		t.Helper()
		out, err := c.Run(context.Background(), stdin, args...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	blob := run("aaa\n", "hash-object", "-w", "--stdin")
	for _, name := range []string{"a.txt", "raw.txt"} {
		run("100644 "+blob+"\t"+name+"\x00", "update-index", "-z", "--index-info")
	}
	run("a.txt\x00raw.txt\x00", "checkout-index", "-f", "-u", "-z", "--stdin")
	for name, want := range map[string]string{"a.txt": "aaa\r\n", "raw.txt": "aaa\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, want %q: %v", name, got, want, err)
		}
	}
	status := exec.Command("git", "-C", dir, "diff-files", "--name-only")
	if out, err := status.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("git finds %q edited: %v", out, err)
	}
}
