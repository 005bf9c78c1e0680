package attacks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// homes are folders of unrelated work that core.worktree can name. None of them is marked as a
// checkout of the workspace.
var homes = map[string]func(d *world, at string){
	"empty":             func(*world, string) {},
	"with a repository": func(d *world, at string) { d.git("init", "-q", at) },
	"with a broken .git": func(d *world, at string) {
		d.ok(os.WriteFile(filepath.Join(at, ".git"), []byte("gitdir: /nowhere\n"), 0o644))
	},
	"of another .git file": func(d *world, at string) { d.git("init", "-q", "--separate-git-dir", at+".git", at) },
	"with a link": func(d *world, at string) {
		d.ok(os.Symlink(filepath.Join(at, "gone"), filepath.Join(at, ".git")))
	},
}

// addresses are the ways to write a folder's path.
var addresses = map[string]func(d *world, at string) string{
	"whole": func(_ *world, at string) string { return at },
	"from the Git folder": func(d *world, at string) string {
		rel, err := filepath.Rel(filepath.Join(d.dir, ".git"), at)
		d.ok(err)
		return rel
	},
	"with dots": func(_ *world, at string) string { return at + "/../" + filepath.Base(at) + "/." },
	"by a link": func(d *world, at string) string {
		link := filepath.Join(d.dir, ".git", "link-"+filepath.Base(at))
		d.ok(os.Symlink(at, link))
		return link
	},
}

// An attacker who can write .git/config and push to main must not get files written elsewhere,
// such as a profile in a home folder.
func TestAttackElsewhere(t *testing.T) {
	attack(t, "core.worktree names the folder of something else", func(d *world) {
		places, n := d.settle(), 0
		for where, file := range places {
			sound, err := os.ReadFile(file)
			if err != nil && !os.IsNotExist(err) {
				d.Fatal(err)
			}
			for shape, make := range homes {
				for form, address := range addresses {
					n++
					at := filepath.Join(filepath.Dir(d.dir), fmt.Sprintf("home-%d", n))
					d.ok(os.Mkdir(at, 0o755))
					make(d, at)
					d.add(file, "\n[core]\n\tworktree = "+filepath.ToSlash(address(d, at))+"\n")
					for _, from := range []string{d.dir, filepath.Join(d.dir, ".git")} {
						r, err := gitstore.Open(from)
						d.ok(err)
						all, err := r.Worktrees()
						d.ok(err)
						if len(all) != 1 || all[0].Root != d.dir || r.Root() != d.dir {
							d.succeeds("%s, %s, %s: files go to %s, %v", where, shape, form, r.Root(), all)
						}
					}
					d.ok(os.WriteFile(file, sound, 0o644))
				}
			}
		}
		if n < 100 {
			d.Fatalf("only %d variants", n)
		}
	})
	attack(t, "a profile on main, and core.worktree names a home", func(d *world) {
		hub, home := d.hub(), filepath.Join(filepath.Dir(d.dir), "home-of-ada")
		d.ok(os.Mkdir(home, 0o755))
		d.git("push", "-q", hub, d.commit("Notes", []tree.Hash{d.main()}, file(".profile", "touch ran\n")).String()+":refs/heads/main")
		d.git("config", "core.worktree", home)
		out := d.says("pull")
		if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
			d.succeeds("pull writes %v there (%v): %s", left, err, out)
		}
		d.git("config", "--unset", "core.worktree")
		d.begin()
	})
	attack(t, "a hub with hooks inside the clone", func(d *world) {
		hub := d.hub()
		d.proposed("kublai", skill("clove-hitch"))
		sound, err := os.ReadFile(filepath.Join(d.dir, ".git", "config"))
		d.ok(err)
		for i, address := range []string{"%s", "file://%s", "%s/../planted.git", ".git/planted.git", "./.git/planted.git", ".git/link"} {
			for _, setting := range []string{"url", "pushurl", "insteadOf", "option"} {
				inside := filepath.Join(d.dir, ".git", "planted.git")
				d.ok(os.RemoveAll(inside))
				d.git("clone", "-q", "--mirror", hub, inside)
				for _, hook := range []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction"} {
					d.written(".git/planted.git/hooks/"+hook, "#!/bin/sh\ntouch '"+filepath.Join(d.canaries(), hook)+"'\n", 0o755)
				}
				if _, err := os.Lstat(filepath.Join(d.dir, ".git", "link")); err != nil {
					d.ok(os.Symlink("planted.git", filepath.Join(d.dir, ".git", "link")))
				}
				at := strings.ReplaceAll(address, "%s", inside)
				switch setting {
				case "url":
					d.git("remote", "set-url", "origin", at)
				case "pushurl":
					d.git("config", "remote.origin.pushurl", at)
				case "insteadOf":
					d.git("config", "url."+at+".insteadOf", hub)
				case "option":
					d.git("config", "push.pushOption", "x")
					d.git("remote", "set-url", "origin", at)
				}
				said := d.says("push")
				d.silent(fmt.Sprintf("push to %s by %s (%d, %.80s)", address, setting, i, said))
				d.ok(os.WriteFile(filepath.Join(d.dir, ".git", "config"), sound, 0o644))
			}
		}
	})
}

// TestAttackEmbedded: a commit of a project must not bring a workspace that commands obey: its
// policies could run tools without a sandbox.
func TestAttackEmbedded(t *testing.T) {
	attack(t, "a bare repository in a commit", func(d *world) {
		n := 0
		for _, folder := range []string{"docs", "a/b/docs", ".hidden"} {
			for shape, bring := range embeddings {
				project := filepath.Join(filepath.Dir(d.dir), fmt.Sprintf("project-%d", n))
				d.git("init", "-q", project)
				at := filepath.Join(project, filepath.FromSlash(folder))
				bring(d, project, at)
				d.git("-C", project, "add", "-f", ".")
				d.git("-C", project, "-c", "user.name=mallory", "-c", "user.email=m@example.org", "commit", "-q", "-m", "docs")
				for _, below := range []string{"", "objects", "refs/heads"} {
					n++
					r, err := gitstore.Open(filepath.Join(at, filepath.FromSlash(below)))
					if err == nil && r.Root() != project {
						d.succeeds("%s in %s, from %q: opened %s", shape, folder, below, r.GitDir())
					}
				}
			}
		}
		if n < 20 {
			d.Fatalf("only %d variants", n)
		}
	})
}

// embeddings bring the workspace into a project's folder in forms that Git takes for a repository.
var embeddings = map[string]func(d *world, project, at string){
	"a bare clone": func(d *world, _, at string) { d.bareAt(at) },
	"a link to a bare clone": func(d *world, project, at string) {
		d.bareAt(filepath.Join(project, "data", "x"))
		d.ok(os.MkdirAll(filepath.Dir(at), 0o755))
		d.ok(os.Symlink(filepath.Join(project, "data", "x"), at))
	},
	"a folder that names another as its common one": func(d *world, project, at string) {
		common := filepath.Join(project, "data", "x")
		d.bareAt(common)
		d.ok(os.MkdirAll(at, 0o755))
		d.ok(os.WriteFile(filepath.Join(at, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
		d.ok(os.WriteFile(filepath.Join(at, "commondir"), []byte(common+"\n"), 0o644))
	},
}

// bareAt makes a bare clone whose folders all have files, so that a commit can bring them.
func (d *world) bareAt(at string) {
	d.Helper()
	d.git("clone", "-q", "--bare", d.dir, at)
	for _, name := range []string{"refs/heads/.keep", "refs/tags/.keep", "objects/.keep"} {
		d.ok(os.WriteFile(filepath.Join(at, filepath.FromSlash(name)), nil, 0o644))
	}
}
