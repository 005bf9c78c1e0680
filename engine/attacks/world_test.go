package attacks_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/workspace"
)

// world is a workspace with two humans, Ada and Bob; a person and an agent who hold the lead role,
// Mallory and mongke; the agent kublai; and a witness, warden. Mallory attacks. She has a shell,
// write access to every ref, her own key, mongke's, and one that no policy lists.
type world struct {
	*testing.T
	*workspace.Workspace
	// Attester signs the records of merges; nil leaves them unsigned.
	Attester ssh.Signer
	// Proposer signs the commits of proposals; nil leaves them unsigned.
	Proposer ssh.Signer
	dir      string
	who      map[string]*keys.Signer
	clock    time.Time
	// before is the commit that was in force when the attack began.
	before tree.Hash
	// accepted are the keys under which assent-verify accepts re-anchors.
	accepted []string
}

// people have keys; no policy lists the last one.
func people() []string { return []string{"ada", "bob", "mallory", "mongke", "warden", "second"} }

const rolesFile = `people:
  ada: {keys: ["KEY ada"], emails: [ada@example.org], logins: {gitea: ada}}
  bob: {keys: ["KEY bob"], emails: [bob@example.org], logins: {gitea: bob}}
  mallory: {keys: ["KEY mallory"], emails: [mallory@example.org, m@elsewhere.example]}
agents:
  kublai: {emails: [kublai@agents.example]}
  mongke: {keys: ["KEY mongke"]}
  warden: {keys: ["KEY warden"]}
roles:
  human: [ada, bob]
  lead: [ada, bob, mallory, mongke]
  witness: [warden]
`

const soulFile = `# Kublai

Kublai ties knots.

## Identity

You are Kublai.

## Core Truths

- Ropes are honest, see [the book].

## Boundaries

- Never cut a rope.

## Vibe

Calm.

[the book]: https://knots.example/book
`

const toolRecord = `kind: skill
version: 1.0.0
status: active
`

const toolTests = `cases:
  - name: a bowline holds
    input: {knot: bowline}
    expect: {equals: holds}
  - name: a granny slips
    input: {knot: granny}
    expect: {equals: slips}
`

// skill returns a small skill that is only text.
func skill(name string, more ...string) tree.Edit {
	return file("skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Says how to tie a "+name+
		". Use when a "+name+" is to be tied.\n---\n\n# "+name+"\n\nTake the rope with both hands and follow the picture.\n"+strings.Join(more, ""))
}

func file(path, content string) tree.Edit { return tree.Edit{Path: path, Content: []byte(content)} }

func content(e tree.Edit) string { return string(e.Content) }

// made makes the world that tests copy, once.
var made = sync.OnceValue(func() error {
	at := os.Getenv("ASSENT_ATTACKS_WORLD")
	if _, err := os.Stat(filepath.Join(at, "repo")); err == nil {
		return nil // by the process that began this one
	}
	if err := os.MkdirAll(filepath.Join(at, "keys"), 0o755); err != nil {
		return err
	}
	text := rolesFile
	for _, name := range people() {
		if _, err := keys.Generate(filepath.Join(at, "keys", name), name, nil); err != nil {
			return err
		}
		public, err := os.ReadFile(filepath.Join(at, "keys", name+".pub"))
		if err != nil {
			return err
		}
		text = strings.Replace(text, "KEY "+name+`"`, strings.TrimSpace(string(public))+`"`, 1)
	}
	repo, err := gitstore.Init(filepath.Join(at, "repo"))
	if err != nil {
		return err
	}
	now := start()
	w := workspace.Of(repo, workspace.Surroundings{Now: func() time.Time { return now }, Random: rand.Reader})
	ada, err := keys.Load(filepath.Join(at, "keys", "ada"), nil)
	if err != nil {
		return err
	}
	files, err := template(text)
	if err != nil {
		return err
	}
	plan, err := genesis.Decide(context.Background(), w, files)
	if err != nil {
		return err
	}
	if plan.Diagnostics.HasErrors() {
		return fmt.Errorf("the world: %v", plan.Diagnostics)
	}
	_, err = genesis.Begin(context.Background(), w, plan, ada, gitstore.Person{Name: "Ada", Email: "ada@example.org", When: now})
	return err
})

// start returns a time so early that all events here are past for the real program.
func start() time.Time { return time.Now().UTC().Truncate(time.Second).Add(-2 * time.Hour) }

// template returns the policies and workflows of the built-in instance, without the scenarios that
// test them.
func template(roles string) ([]tree.Edit, error) {
	files := []tree.Edit{
		file("soul/kublai/SOUL.md", soulFile), file("soul/mongke/SOUL.md", strings.ReplaceAll(soulFile, "Kublai", "Mongke")),
		skill("bowline"), skill("reef-knot"),
		skill("splice"), file("skills/splice/capability.yaml", toolRecord), file("skills/splice/tests.yaml", toolTests),
	}
	for _, dir := range []string{"policies", "workflows"} {
		err := fs.WalkDir(assent.Template, dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || path == "policies/roles.yaml" || strings.HasPrefix(path, "policies/scenarios/") {
				return err
			}
			data, err := fs.ReadFile(assent.Template, path)
			files = append(files, file(path, string(data)))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return append(files, file("policies/roles.yaml", roles)), nil
}

// newWorld returns a copy of the world, for one attack.
func newWorld(t *testing.T) *world {
	t.Helper()
	at := t.TempDir()
	t.Setenv("ASSENT_HOME", filepath.Join(os.Getenv("ASSENT_ATTACKS_WORLD"), "home"))
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if err := made(); err != nil {
		t.Fatal(err)
	}
	d := &world{T: t, dir: filepath.Join(at, "repo"), who: map[string]*keys.Signer{}, clock: start().Add(time.Minute)}
	for _, name := range []string{"home", "repo"} {
		d.ok(os.CopyFS(filepath.Join(at, name), os.DirFS(filepath.Join(os.Getenv("ASSENT_ATTACKS_WORLD"), name))))
	}
	t.Setenv("ASSENT_HOME", filepath.Join(at, "home"))
	for _, name := range people() {
		signer, err := keys.Load(d.key(name), nil)
		d.ok(err)
		d.who[name] = signer
	}
	d.reopen()
	d.begin()
	return d
}

// clone copies the world and the user's folder for one variant.
func (d *world) clone(t *testing.T) *world {
	t.Helper()
	at := t.TempDir()
	w := &world{T: t, dir: filepath.Join(at, "repo"), who: d.who, clock: d.clock, before: d.before}
	w.ok(os.CopyFS(w.dir, os.DirFS(d.dir)))
	w.ok(os.CopyFS(filepath.Join(at, "home"), os.DirFS(filepath.Join(filepath.Dir(d.dir), "home"))))
	t.Setenv("ASSENT_HOME", filepath.Join(at, "home"))
	w.reopen()
	return w
}

// key returns the file of a person's private key.
func (d *world) key(name string) string {
	return filepath.Join(os.Getenv("ASSENT_ATTACKS_WORLD"), "keys", name)
}

// reopen drops the caches of the process, as the next command would.
func (d *world) reopen() {
	d.Helper()
	w, err := workspace.Open(d.dir, workspace.Surroundings{
		Now: d.tick, Random: rand.Reader, Attester: func(workspace.Session) ssh.Signer { return d.Attester },
		Proposer: func(workspace.Session, forge.Actor) ssh.Signer { return d.Proposer },
	})
	d.ok(err)
	d.Workspace, d.Attester, d.Proposer = w, nil, nil
}

func (d *world) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// tick is the workspace's clock: it advances a second at each call.
func (d *world) tick() time.Time {
	d.clock = d.clock.Add(time.Second)
	return d.clock
}

// begin marks the state in force, which the attack must not change.
func (d *world) begin() {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	d.before = cur.InForce
}
