package attacks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func memoryDefences() map[string]defence {
	const walks, lists = "TestAttackMemory/commits on main/", "TestAttackMemory/journals/"
	return map[string]defence{
		"outlines-hold-no-texts": {
			attack:  walks + "audit: a message",
			instead: `return Outline{c.Hash, c.Tree, unique(c.Parents), c.Committer.When.Unix(), fmt.Errorf("%s", c.Message)}`,
		},
		"names-are-bounded":              {attack: walks + "standing: an author"},
		"subjects-are-short":             {attack: walks + "standing: a subject"},
		"named-proposals-are-short":      {attack: walks + "audit: a trailer"},
		"lists-are-bounded":              {attack: lists + "open: a title"},
		"lists-leave-bodies-out":         {attack: lists + "open: a body", with: []string{"lists-are-bounded"}},
		"errors-of-events-repeat-little": {attack: lists + "open: a broken escape"},
		"errors-of-hashes-repeat-little": {
			attack:  lists + "open: a head",
			instead: `if len(s) != 2*len(h) { return h, fmt.Errorf("object name %q", s) }`,
		},
	}
}

// heavy is the size of one text. A pack stores it in a few kilobytes.
const heavy = 900_000

// crowd is the number of commits or journals in one variant. allowed is the memory that may be
// kept for all of them: half of their texts. The current text may be in memory several times.
const (
	crowd   = 10
	allowed = crowd * heavy / 2
)

// meter measures the memory that is in use at its marks.
type meter struct{ before, most int64 }

func newMeter() *meter { return &meter{before: held()} }

func (m *meter) mark() { m.most = max(m.most, held()-m.before) }

// held returns the bytes of live objects.
func held() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) //nolint:gosec // far below the limit
}

// texts are the places in a commit that can hold any amount of text.
func texts() map[string]func(n int) (head, message string) {
	long := func(n int) string { return fmt.Sprint(n, strings.Repeat("x", heavy)) }
	person := func(name, email string, n int) string {
		return fmt.Sprintf("%s <%s> %d +0000", name, email, 1_780_000_000+n)
	}
	of := func(author, committer, more, message string, n int) (string, string) {
		return "author " + person(author, "m@example.org", n) + "\ncommitter " + person(committer, "m@example.org", n) + "\n" + more, message
	}
	return map[string]func(int) (string, string){
		"a message":       func(n int) (string, string) { return of("M", "M", "", "More\n\n"+long(n)+"\n", n) },
		"a subject":       func(n int) (string, string) { return of("M", "M", "", long(n)+"\n", n) },
		"a trailer":       func(n int) (string, string) { return of("M", "M", "", "More\n\nAssent-Proposal: "+long(n)+"\n", n) },
		"a trailer's key": func(n int) (string, string) { return of("M", "M", "", "More\n\n"+long(n)+": x\n", n) },
		"a continued trailer": func(n int) (string, string) {
			return of("M", "M", "", "More\n\nA: b\n"+strings.Repeat(" x\n", heavy/3), n)
		},
		"many trailers": func(n int) (string, string) { return of("M", "M", "", "More\n\n"+strings.Repeat("A: b\n", heavy/5), n) },
		"a signature":   func(n int) (string, string) { return of("M", "M", "gpgsig "+long(n)+"\n", "More\n", n) },
		"a header":      func(n int) (string, string) { return of("M", "M", "x-more "+long(n)+"\n", "More\n", n) },
		"many headers":  func(n int) (string, string) { return of("M", "M", strings.Repeat("x-more x\n", heavy/9), "More\n", n) },
		"a merged tag": func(n int) (string, string) {
			return of("M", "M", "mergetag "+strings.Repeat("x\n ", heavy/3)+"x\n", "More\n", n)
		},
		"an author":             func(n int) (string, string) { return of(long(n), "M", "", "More\n", n) },
		"a committer":           func(n int) (string, string) { return of("M", long(n), "", "More\n", n) },
		"a message in Latin 1":  func(n int) (string, string) { return of("M", "M", "encoding ISO-8859-1\n", long(n)+"\xe9\n", n) },
		"a message without end": func(n int) (string, string) { return of("M", "M", "", long(n), n) },
	}
}

// line adds commits on top of main and returns the last one. Each changes the file at path, if it
// is given.
func (d *world) line(text func(int) (head, message string), path string) tree.Hash {
	d.Helper()
	at := d.main()
	for n := range crowd {
		top := d.treeOf(d.main())
		if path != "" {
			var err error
			top, err = d.Repo.WriteTree(top, []tree.Edit{file(path, fmt.Sprint(n))})
			d.ok(err)
			d.ok(d.Repo.Sync())
		}
		head, message := text(n)
		at = d.parsed(d.object("commit", []byte("tree "+top.String()+"\nparent "+at.String()+"\n"+head+"\n"+message)))
	}
	return at
}

// walks are the readers of a line of commits. Each marks the meter at its highest use of memory.
func (d *world) walks() map[string]func(m *meter, tip tree.Hash) {
	ctx := d.Context()
	judged := func(m *meter) attest.Judges {
		return attest.Judges{Merge: func(context.Context, attest.Standing, gitstore.Commit) error { m.mark(); return attest.Refuse("no") }}
	}
	cur, err := d.Session(ctx)
	d.ok(err)
	return map[string]func(*meter, tree.Hash){
		"standing": func(m *meter, tip tree.Hash) {
			st, _ := attest.ObserveAt(ctx, d.Repo, tip, attest.Seen{}, judged(m))
			m.mark()
			runtime.KeepAlive(st)
		},
		"branch": func(m *meter, tip tree.Hash) {
			between, err := d.Repo.Between(d.main(), tip)
			m.mark()
			runtime.KeepAlive(between)
			runtime.KeepAlive(err)
		},
		"changes": func(m *meter, tip tree.Hash) {
			last, _ := audit.LastChanges(d.Repo, tip, []string{"skills/x0", "skills/clove-hitch", "README.md"})
			touched, _ := audit.Changing(d.Repo, tip, "skills/clove-hitch")
			m.mark()
			runtime.KeepAlive(last)
			runtime.KeepAlive(touched)
		},
		"log": func(m *meter, tip tree.Hash) {
			cur := cur
			cur.Main = tip
			entries, _ := audit.Log(ctx, cur, 0, nil)
			m.mark()
			runtime.KeepAlive(entries)
		},
		"audit": func(m *meter, tip tree.Hash) {
			main := d.main()
			d.put("refs/heads/main", tip)
			res, _ := audit.Verify(ctx, d.Workspace, func(int, int) { m.mark() })
			m.mark()
			runtime.KeepAlive(res)
			d.put("refs/heads/main", main)
		},
	}
}

// fields are the places in an opening that can hold any amount of text.
func (d *world) fields(id string) map[string]func(n int) (message string, actor []byte) {
	long := func(n int) string { return fmt.Sprint(n, strings.Repeat("x", heavy)) }
	event := func(note, by, kind, head, title, more string) string {
		return fmt.Sprintf("x: x\n\n%[2]s\n\nAssent-Journal: 1\nAssent-Sequence: 1\nAssent-Event: %[1]s\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: %[3]s\nBase: main\nBranch: proposal/%[4]s\nHead: %[5]s\nState: open\nTitle: %[6]s\n%[7]s",
			kind, note, by, id, head, title, more)
	}
	head := d.main().String()
	plain := event("# Why", "kublai", "opened", head, "x", "")
	actor := func(of forge.Actor) (string, []byte) {
		data, err := json.Marshal(of)
		d.ok(err)
		return plain, data
	}
	text := func(message string) (string, []byte) { return message, []byte(`{"name":"kublai"}`) }
	return map[string]func(int) (string, []byte){
		"a title": func(n int) (string, []byte) { return text(event("# Why", "kublai", "opened", head, long(n), "")) },
		"a body":  func(n int) (string, []byte) { return text(event(long(n), "kublai", "opened", head, "x", "")) },
		"by whom": func(n int) (string, []byte) { return event("# Why", long(n), "opened", head, "x", ""), []byte("{") },
		"a kind":  func(n int) (string, []byte) { return text(event("# Why", "kublai", long(n), head, "x", "")) },
		"a head":  func(n int) (string, []byte) { return text(event("# Why", "kublai", "opened", long(n), "x", "")) },
		"a field": func(n int) (string, []byte) {
			return text(event("# Why", "kublai", "opened", head, "x", "More: "+long(n)+"\n"))
		},
		"a field's name": func(n int) (string, []byte) {
			return text(event("# Why", "kublai", "opened", head, "x", "A-"+long(n)+": x\n"))
		},
		"many fields": func(int) (string, []byte) {
			return text(event("# Why", "kublai", "opened", head, "x", strings.Repeat("A: b\n", heavy/5)))
		},
		"a broken escape":   func(n int) (string, []byte) { return text(event("# Why", "kublai", "opened", head, `\q`+long(n), "")) },
		"an unended escape": func(n int) (string, []byte) { return text(event("# Why", "kublai", "opened", head, long(n)+`\`, "")) },
		"a version": func(n int) (string, []byte) {
			return text(strings.Replace(plain, "Journal: 1", "Journal: "+long(n), 1))
		},
		"a number": func(n int) (string, []byte) {
			return text(strings.Replace(plain, "Sequence: 1", "Sequence: "+long(n), 1))
		},
		"a time":           func(n int) (string, []byte) { return text(strings.Replace(plain, "2026-01-01T", long(n), 1)) },
		"a branch":         func(n int) (string, []byte) { return text(strings.Replace(plain, "proposal/", long(n), 1)) },
		"a base":           func(n int) (string, []byte) { return text(strings.Replace(plain, "Base: main", "Base: "+long(n), 1)) },
		"an actor's name":  func(n int) (string, []byte) { return actor(forge.Actor{Name: long(n)}) },
		"an actor's login": func(n int) (string, []byte) { return actor(forge.Actor{Name: "kublai", Login: long(n)}) },
		"an actor's email": func(n int) (string, []byte) { return actor(forge.Actor{Name: "kublai", Email: long(n)}) },
		"an actor's key":   func(n int) (string, []byte) { return actor(forge.Actor{Name: "kublai", Key: long(n)}) },
	}
}

// journals opens journals with one heavy text each; closing ends them, with a heavy reason.
func (d *world) journals(what string, closing bool) (undo func()) {
	d.Helper()
	var refs []string
	for n := range crowd {
		id := fmt.Sprintf("heavy-abcd2%03d", 200+n)
		message, actor := d.fields(id)[what](n)
		files := d.tree([]raw{{"100644", "actor.json", d.object("blob", actor)}})
		stamp := "author M <m@example.org> 1780000000 +0000\ncommitter M <m@example.org> 1780000000 +0000\n\n"
		at := d.object("commit", []byte("tree "+files+"\nparent "+d.main().String()+"\n"+stamp+message))
		if closing {
			at = d.object("commit", []byte("tree "+files+"\nparent "+at+"\n"+stamp+"closed: x\n\nx\n\nAssent-Journal: 1\nAssent-Sequence: 2\nAssent-Event: closed\nAssent-At: 2026-01-02T00:00:00Z\nAssent-By: M\nState: closed\nWhy: "+
				fmt.Sprint(n, strings.Repeat("w", heavy))+"\n"))
		}
		d.put(local.PullPrefix+id, d.parsed(at))
		refs = append(refs, local.PullPrefix+id)
	}
	return func() {
		for _, ref := range refs {
			d.git("update-ref", "-d", ref)
		}
	}
}

// Readers of many commits and journals keep little of each, for any amount of text in them.
// Otherwise a few megabytes on the hub would fill the memory of every reader.
func TestAttackMemory(t *testing.T) {
	weigh := func(d *world, what string, read func(m *meter)) {
		m := newMeter()
		read(m)
		if m.most > allowed {
			d.succeeds("%s: %d kB are kept of %d kB", what, m.most>>10, crowd*heavy>>10)
		}
	}
	inOne(t, "commits on main", func(d *world, variant func(string, func())) {
		walks := d.walks()
		for what, text := range texts() {
			for name, walk := range walks {
				variant(name+": "+what, func() {
					for _, path := range []string{"skills/clove-hitch/SKILL.md", ""} {
						if path == "" && name == "audit" { // the audit remembers the state in force
							continue
						}
						tip := d.line(text, path)
						weigh(d, path, func(m *meter) { walk(m, tip) })
					}
				})
			}
		}
	})
	inOne(t, "journals", func(d *world, variant func(string, func())) {
		for what := range d.fields("x") {
			for _, state := range []forge.State{forge.Open, forge.Closed} {
				variant(string(state)+": "+what, func() {
					undo := d.journals(what, state == forge.Closed)
					defer undo()
					weigh(d, what, func(m *meter) {
						pulls, err := d.Record.List(d.Context(), forge.Filter{})
						m.mark()
						runtime.KeepAlive(pulls)
						runtime.KeepAlive(err)
					})
				})
			}
		}
	})
}

// inOne runs variants of an attack in one world, which they leave unchanged.
func inOne(t *testing.T, name string, run func(d *world, variant func(what string, do func()))) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		d := newWorld(t)
		n := 0
		run(d, func(what string, do func()) {
			n++
			t.Run(what, func(inner *testing.T) {
				d.T = inner
				defer func() { d.T = t }()
				do()
			})
		})
		d.unchanged()
		t.Logf("%d variants", n)
	})
}
