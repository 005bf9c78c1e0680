package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

func configurationDefences() map[string]defence {
	const here = "TestAttackConfiguration/"
	return map[string]defence{
		"no-program-of-the-repository":      {attack: here + "hooks"},
		"checkouts-read-no-configuration":   {attack: here + "filters"},
		"no-program-of-the-configuration":   {attack: here + "programs for transports"},
		"no-program-as-a-transport":         {attack: here + "addresses that are programs"},
		"dry-offers-only-read":              {attack: here + "a dry offer to a folder"},
		"hubs-lie-outside":                  {attack: "TestAttackElsewhere/a hub with hooks inside the clone"},
		"embedded-repositories-are-refused": {attack: "TestAttackEmbedded/a bare repository in a commit"},
		"worktrees-lead-back":               {attack: "TestAttackElsewhere/a profile on main, and core.worktree names a home"},
	}
}

// places are where an attacker with write access to a Git folder can put settings.
var places = []string{"config", "config.worktree", "include", "includeIf gitdir", "includeIf onbranch"}

// settle makes git read all places, and returns the file of each.
func (d *world) settle() map[string]string {
	d.Helper()
	dotGit := filepath.Join(d.dir, ".git")
	d.git("config", "extensions.worktreeConfig", "true")
	d.git("config", "include.path", "more")
	d.git("config", "includeIf.gitdir:"+filepath.ToSlash(dotGit)+".path", "there")
	d.git("config", "includeIf.onbranch:main.path", "branch")
	return map[string]string{
		"config": filepath.Join(dotGit, "config"), "config.worktree": filepath.Join(dotGit, "config.worktree"),
		"include": filepath.Join(dotGit, "more"), "includeIf gitdir": filepath.Join(dotGit, "there"), "includeIf onbranch": filepath.Join(dotGit, "branch"),
	}
}

// add appends to a file.
func (d *world) add(file, text string) {
	d.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	d.ok(err)
	_, err = f.WriteString(text)
	d.ok(errors.Join(err, f.Close()))
}

// canaries returns a folder in which planted programs leave a file.
func (d *world) canaries() string {
	dir := filepath.Join(filepath.Dir(d.dir), "canaries")
	d.ok(os.MkdirAll(dir, 0o755))
	return dir
}

// silent fails the test for each planted program that ran.
func (d *world) silent(after string) {
	d.Helper()
	ran, err := os.ReadDir(d.canaries())
	d.ok(err)
	for i, name := range ran {
		if i < 5 {
			d.succeeds("%s runs %s", after, name.Name())
		}
		d.ok(os.Remove(filepath.Join(d.canaries(), name.Name())))
	}
}

// code runs the real program and returns its exit code and its output.
func (d *world) code(args ...string) (int, string) {
	d.Helper()
	cmd := exec.Command("assent", args...)
	cmd.Dir, cmd.Env = d.dir, os.Environ()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		d.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// hub returns a bare repository with the content of this one, as remote origin.
func (d *world) hub() string {
	d.Helper()
	at := filepath.Join(filepath.Dir(d.dir), "hub.git")
	d.git("init", "-q", "--bare", "-b", "main", at)
	d.git("push", "-q", at, "refs/heads/*:refs/heads/*", "refs/assent/*:refs/assent/*")
	d.git("remote", "add", "origin", at)
	return at
}

// program is a planted setting, and the address with which git would obey it.
type program struct {
	// section is the setting's section with its brackets, name its name.
	section, name string
	// value is the value of the setting; %s is a command that leaves a canary.
	value   string
	address string // "" is the hub
	more    string // further lines of configuration
}

func programs(hub, server string) []program {
	const ssh, git = "ssh://127.0.0.1/x", "git://127.0.0.1:1/x"
	return []program{
		{`remote "origin"`, "uploadpack", "%s", "", ""},
		{`remote "origin"`, "receivepack", "%s", "", ""},
		{`remote "ORIGIN"`, "uploadPack", "%s", "", ""},
		{`remote "` + hub + `"`, "uploadpack", "%s", "", ""},
		{`remote "origin"`, "vcs", "ext", "", ""},
		{`remote "origin"`, "proxy", "http://127.0.0.1:1", server, ""},
		{`remote "origin"`, "laterCommand", "%s", "", ""},
		{"core", "sshCommand", "%s", ssh, ""},
		{"CORE", "SSHCommand", "%s", ssh, ""},
		{"core", "gitProxy", "%s", git, ""},
		{"core", "askPass", "%s", server, ""},
		{"core", "alternateRefsCommand", "%s", "", ""},
		{"credential", "helper", "!%s", server, ""},
		{`credential "` + server + `"`, "helper", "!%s", server, ""},
		{"credential", "gitHubHelper", "%s", server, ""},
		{"http", "proxy", "http://127.0.0.1:1", server, ""},
		{`http "` + server + `"`, "proxy", "http://127.0.0.1:1", server, ""},
		{"http", "sslVerify", "false", "https" + strings.TrimPrefix(server, "http"), ""},
		{"http", "sslCAInfo", "/tmp/ca", "https" + strings.TrimPrefix(server, "http"), ""},
		{"http", "cookieFile", "/tmp/cookies", server, ""},
		{"http", "curloptResolve", "example.org:443:127.0.0.1", server, ""},
		{`url "ext::%s "`, "insteadOf", "hub", "", ""},
		{`url "ext::%s "`, "pushInsteadOf", "hub", "", ""},
		{`url "other://"`, "insteadOf", "hub", "", ""},
		{"gpg", "program", "%s", "", "[push]\n\tgpgSign = true\n"},
		{`gpg "ssh"`, "defaultKeyCommand", "%s", "", "[push]\n\tgpgSign = true\n"},
		{`hook "x"`, "command", "%s", "", "[hook \"x\"]\n\tevent = reference-transaction\n"},
		{"gc", "recentObjectsHook", "%s", "", ""},
	}
}

// Files in the Git folder name remotes and line endings. They must not run a program.
func TestAttackConfiguration(t *testing.T) {
	attack(t, "filters", filtersInTheConfiguration)
	attack(t, "a filter of the user's", func(d *world) {
		mine := filepath.Join(filepath.Dir(d.dir), "gitconfig")
		d.git("config", "--file", mine, "filter.f.smudge", "touch '"+filepath.Join(d.canaries(), "smudge")+"'; cat")
		d.Setenv("GIT_CONFIG_GLOBAL", mine)
		d.git("checkout", "-q", "-f", "main")
		d.written(".git/info/attributes", "* filter=f\n", 0o644)
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada")
		d.says("merge", p.ID)
		d.silent("merge")
		d.later()
	})
	attack(t, "programs for transports", programsForTransports)
	attack(t, "a dry offer to a folder", func(d *world) {
		other, alternate := filepath.Join(filepath.Dir(d.dir), "other"), filepath.Join(filepath.Dir(d.dir), "alternate.git")
		mine := filepath.Join(filepath.Dir(d.dir), "gitconfig")
		d.git("config", "--file", mine, "user.name", "Ada")
		d.git("config", "--file", mine, "user.email", "ada@example.org")
		d.Setenv("GIT_CONFIG_GLOBAL", mine)
		if code, out := d.code("init", other, "--agent", "rover", "--empty"); code != 0 {
			d.Fatal(out)
		}
		d.git("clone", "-q", "--bare", other, alternate)
		dotGit := filepath.Join(other, ".git")
		d.ok(os.WriteFile(filepath.Join(dotGit, "objects", "info", "alternates"), []byte(filepath.Join(alternate, "objects")+"\n"), 0o600))
		trap := func(name string) string { return "touch '" + filepath.Join(d.canaries(), name) + "'; cat" }
		for _, hook := range []string{
			"pre-receive", "proc-receive", "update", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "fsmonitor-watchman", "post-index-change", "pre-auto-gc", "sendpack",
		} {
			d.ok(os.WriteFile(filepath.Join(dotGit, "hooks", hook), []byte("#!/bin/sh\n"+trap("hook "+hook)+"\n"), 0o755)) //nolint:gosec // a hook has to be executable
		}
		d.git("config", "--file", filepath.Join(dotGit, "config"), "include.path", "more")
		d.git("config", "--file", filepath.Join(dotGit, "config"), "includeIf.gitdir:"+filepath.ToSlash(dotGit)+".path", "there")
		for _, place := range []string{"config", "more", "there"} {
			for _, key := range []string{
				"core.alternateRefsCommand", "core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.askPass", "uploadpack.packObjectsHook", "gc.recentObjectsHook",
				"pager.upload-pack", "pager.receive-pack", "alias.upload-pack", "alias.receive-pack", "filter.f.smudge", "filter.f.clean", "filter.f.process", "diff.external", "merge.m.driver", "gpg.program",
				"gpg.ssh.defaultKeyCommand", "credential.helper", "hook.x.command", "receive.procReceiveRefs", "remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs", "trailer.t.command",
			} {
				d.git("config", "--file", filepath.Join(dotGit, place), key, trap(place+" "+key))
			}
			for _, args := range [][]string{{"contribute", "bowline", "--to", other, "--as", "rover", "--dry-run"}, {"import", other, "--track", "--dry-run", "--batch"}} {
				if code, out := d.code(args...); code > 1 {
					d.Fatalf("%v ends with %d: %s", args, code, out)
				}
				d.silent(args[0])
			}
		}
	})
	attack(t, "addresses that are programs", func(d *world) {
		d.hub()
		d.git("config", "protocol.ext.allow", "always")
		for _, set := range []string{"remote.origin.url", "remote.origin.pushurl"} {
			d.git("config", set, "ext::touch "+filepath.Join(d.canaries(), set))
			for _, args := range [][]string{{"pull"}, {"push"}, {"serve", "--once", "--remote", "origin"}} {
				d.code(args...)
				d.silent(args[0])
			}
		}
	})
	attack(t, "hooks", func(d *world) {
		hub := d.hub()
		d.git("checkout", "-q", "-f", "main")
		d.merged(skill("clove-hitch"))
		d.git("push", "-q", hub, "refs/heads/*:refs/heads/*", "refs/assent/*:refs/assent/*")
		for _, hook := range []string{
			"pre-push", "reference-transaction", "post-index-change", "post-merge", "post-checkout", "pre-auto-gc", "fsmonitor-watchman",
			"post-rewrite", "push-to-checkout", "proc-receive", "pre-commit",
		} {
			d.written(".git/hooks/"+hook, "#!/bin/sh\ntouch '"+filepath.Join(d.canaries(), hook)+"'\n", 0o755)
		}
		for _, args := range [][]string{{"pull"}, {"push"}, {"maintenance"}, {"doctor", "--fix"}, {"status"}, {"serve", "--once", "--remote", "origin"}} {
			d.code(args...)
			d.silent(args[0])
		}
		d.later()
	})
	attack(t, "a clone that begins inside of the attacker's folder", func(d *world) {
		d.git("config", "core.sshCommand", "touch '"+filepath.Join(d.canaries(), "ssh")+"'")
		d.git("config", "pager.ls-remote", "touch '"+filepath.Join(d.canaries(), "pager")+"'")
		for _, more := range [][]string{nil, {"--dry-run"}} {
			d.code(append([]string{"clone", "ssh://127.0.0.1:1/x", "../copy"}, more...)...)
			d.silent("clone")
		}
	})
}

// filtersInTheConfiguration defines filters of each kind in each place. Each kind of attributes
// names each of them. It merges a change of one file for each.
func filtersInTheConfiguration(d *world) {
	d.git("checkout", "-q", "-f", "main")
	const dir = "skills/clove-hitch/references"
	attributes := map[string]string{
		".gitattributes": filepath.Join(d.dir, ".gitattributes"), "a folder's .gitattributes": filepath.Join(d.dir, dir, ".gitattributes"),
		"info/attributes": filepath.Join(d.dir, ".git", "info", "attributes"), "core.attributesFile": filepath.Join(d.dir, ".git", "elsewhere"),
	}
	type variant struct{ name, kind, place, attributes, file string }
	var all []variant
	for _, kind := range []string{"smudge", "clean", "process"} {
		for _, place := range places {
			for where := range attributes {
				n := fmt.Sprintf("f%02d", len(all))
				all = append(all, variant{n, kind, place, where, dir + "/" + n + ".md"})
			}
		}
	}
	texts := func(version string) []tree.Edit {
		edits := []tree.Edit{skill("clove-hitch", version)}
		for _, v := range all {
			edits = append(edits, file(v.file, "Turn "+v.name+" of the rope, "+version+" time.\n"))
		}
		return edits
	}
	first := d.merged(texts("first")...)
	d.git("checkout", "-q", "-f", "main")
	files := d.settle()
	d.git("config", "core.attributesFile", attributes["core.attributesFile"])
	long := time.Now().Add(-time.Hour)
	for _, v := range all {
		canary := filepath.Join(d.canaries(), v.kind+" in "+strings.ReplaceAll(v.place+" by "+v.attributes, "/", "_"))
		d.add(files[v.place], fmt.Sprintf("[filter %q]\n\t%s = \"touch '%s'; cat\"\n", v.name, v.kind, canary))
		d.add(attributes[v.attributes], v.name+".md filter="+v.name+"\n")
		d.ok(os.Chtimes(filepath.Join(d.dir, v.file), long, long)) // git has to look into it
	}
	p := d.proposed("kublai", texts("second")...)
	d.approved(p.ID, "ada")
	if code, said := d.code("merge", p.ID); code != 0 {
		d.Errorf("the merge ends with %d: %s", code, said)
	}
	d.silent("merge")
	for _, args := range [][]string{{"status"}, {"list"}, {"check"}, {"doctor", "--fix"}, {"maintenance"}, {"why", first.ID}} {
		d.code(args...)
		d.silent(args[0])
	}
	for _, v := range all {
		if got := string(d.read(filepath.Join(d.dir, v.file))); !strings.Contains(got, "second") {
			d.Errorf("%s: the checkout holds %q", v.file, got)
		}
	}
	d.later()
}

// later moves the clock past everything the real program did, and begins again there.
func (d *world) later() {
	d.clock = d.clock.AddDate(0, 0, 1)
	d.reopen()
	d.begin()
}

// programsForTransports plants each program in each place.
func programsForTransports(d *world) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	hub := d.hub()
	files := d.settle()
	kept := map[string][]byte{}
	for place, file := range files {
		kept[place], _ = os.ReadFile(file) // empty if it is not there yet
	}
	d.Setenv("GIT_TERMINAL_PROMPT", "0")
	n := 0
	for _, p := range programs(hub, server.URL) {
		for _, place := range places {
			n++
			canary := filepath.Join(d.canaries(), fmt.Sprint(n))
			command := "touch " + canary
			address := p.address
			if address == "" {
				address = hub
			}
			section, sub, _ := strings.Cut(strings.ReplaceAll(p.section, "%s", command), " ")
			text := fmt.Sprintf("[%s]\n\t%s = \"%s\"\n%s[remote \"origin\"]\n\turl = %s\n", strings.TrimSpace(section+" "+sub), p.name, strings.ReplaceAll(p.value, "%s", command), p.more, address)
			d.ok(os.WriteFile(files[place], append(kept[place][:len(kept[place]):len(kept[place])], text...), 0o644))
			d.transported(p.section+" "+p.name+" in "+place, p, n)
			d.ok(os.WriteFile(files[place], kept[place], 0o644))
		}
	}
	if n < 100 {
		d.Errorf("only %d variants", n)
	}
}

// transported fetches and pushes; both must be refused with the setting's name.
func (d *world) transported(name string, p program, n int) {
	d.Helper()
	repo, err := gitstore.Open(d.dir)
	d.ok(err)
	ctx, cancel := context.WithTimeout(d.Context(), time.Minute)
	defer cancel()
	_, pushes := remote.Push(ctx, repo, "origin", remote.PushOptions{}, func(map[string]tree.Hash) ([]remote.Move, error) { return nil, nil })
	for what, err := range map[string]error{"fetch": remote.Fetch(ctx, repo, "origin"), "push": pushes} {
		var refusal *gitrun.Refusal
		if !errors.As(err, &refusal) {
			d.succeeds("%s with %s is not refused: %v", what, name, err)
		} else if !strings.HasSuffix(refusal.Key, strings.ToLower("."+p.name)) || refusal.Line == 0 || !filepath.IsAbs(refusal.Origin) {
			d.Errorf("%s: the error names %q, line %d of %q", name, refusal.Key, refusal.Line, refusal.Origin)
		}
	}
	d.silent("a transport with " + name)
	if n%17 != 1 { // the real program, for some of them
		return
	}
	for _, args := range [][]string{{"pull"}, {"push"}, {"serve", "--once", "--remote", "origin"}} {
		code, said := d.code(args...)
		if code != 4 || !strings.Contains(strings.ToLower(said), strings.ToLower(p.name)) || !strings.Contains(said, "git config") {
			d.Errorf("%s with %s ends with %d and says %s", args[0], name, code, said)
		}
		d.silent(args[0])
	}
}
