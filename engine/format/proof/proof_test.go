package proof_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

type view struct {
	tree.View
	capability.Namer
}

// folder returns the files of a tool; more has further lines of its record, code is its
// program.
func folder(name, more, code string) map[string]string {
	dir := "skills/" + name + "/"
	return map[string]string{
		dir + "SKILL.md":          "---\nname: " + name + "\ndescription: Does one thing. Use it when it is needed.\n---\n# X\n",
		dir + "capability.yaml":   "kind: tool\nversion: 1.0.0\nlayer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\ninput: {type: object}\n" + more,
		dir + "scripts/main.star": "def main(input):\n    return " + code + "\n",
	}
}

// files has a tool that supersedes another and calls a third, which calls a fourth, and
// an unrelated one. change alters the files.
func files(change func(map[string]string)) map[string]string {
	out := map[string]string{}
	for _, f := range []map[string]string{
		folder("x", "supersedes: was\n", "tools.near()"), folder("was", "", "1"), folder("near", "", "tools.far()"),
		folder("far", "", "2"), folder("other", "", "3"),
	} {
		maps.Copy(out, f)
	}
	if change != nil {
		change(out)
	}
	return out
}

// TestSubject: the digest covers everything that the tests' outcome depends on, and
// nothing else.
func TestSubject(t *testing.T) {
	repo := storetest.NewRepo(t)
	see := func(files map[string]string) proof.View {
		var pairs []string
		for path, text := range files {
			pairs = append(pairs, path, text)
		}
		s, err := repo.Snapshot(storetest.Commit(t, repo, tree.Hash{}, 1, storetest.Files(pairs...)...))
		if err != nil {
			t.Fatal(err)
		}
		return view{s, capability.NamerOf(s)}
	}
	terms := proof.Terms{Engine: "1", Hosts: []string{"a.example:443"}, Kinds: []string{"tool"}}
	digest := func(head, base proof.View, terms proof.Terms) string {
		s, err := proof.SubjectOf(head, base, "skills/x", terms)
		if err != nil || s.Name != "x" || s.Path != "skills/x" {
			t.Fatal(s, err)
		}
		return s.Digest
	}
	script := func(name string) func(map[string]string) {
		return func(m map[string]string) { m["skills/"+name+"/scripts/main.star"] += "# changed\n" }
	}
	none := see(map[string]string{"README.md": "x\n"})
	whole := see(files(nil))
	want := digest(whole, none, terms)
	same := func(name string, equal bool, got string) {
		t.Helper()
		if (got == want) != equal {
			t.Errorf("%s: equal %v, want %v", name, got == want, equal)
		}
	}
	same("again", true, digest(see(files(nil)), none, terms))
	same("what nobody names", true, digest(see(files(script("other"))), none, terms))
	for _, name := range []string{"x", "was", "near", "far"} {
		same(name, false, digest(see(files(script(name))), none, terms))
	}
	same("what is called is gone", false, digest(see(files(func(m map[string]string) {
		for _, file := range []string{"SKILL.md", "capability.yaml", "scripts/main.star"} {
			delete(m, "skills/far/"+file)
		}
	})), none, terms))
	same("in force already", false, digest(whole, whole, terms))
	same("the version", false, digest(whole, none, proof.Terms{Engine: "2", Hosts: terms.Hosts, Kinds: terms.Kinds}))
	same("the hosts", false, digest(whole, none, proof.Terms{Engine: "1", Kinds: terms.Kinds}))
	same("the kinds", false, digest(whole, none, proof.Terms{Engine: "1", Hosts: terms.Hosts}))

	// A superseded capability that the change removes is read from the tree in force.
	gone := files(func(m map[string]string) {
		for _, file := range []string{"SKILL.md", "capability.yaml", "scripts/main.star"} {
			delete(m, "skills/was/"+file)
		}
	})
	want = digest(see(gone), see(folder("was", "", "1")), terms)
	same("superseded in force", false, digest(see(gone), see(folder("was", "", "4")), terms))
}

func trial() proof.Trial {
	r := suite.Report{Subject: suite.Subject{Name: "x"}, State: suite.Failing, Mastery: 0.5, Passed: 1, Failed: 1, RequiredFailed: 1, Cases: []suite.Result{
		{Name: "good", Origin: suite.Own, Verdict: suite.Pass}, {Name: "bad", Origin: suite.Own, Verdict: suite.Fail, Cause: "two\nlines " + strings.Repeat("ä", 400)},
	}}
	return proof.TrialOf("skills/x", "sha256:aa", 3, r, "sha256:bb", []string{"it worked before"})
}

// TestRecord: a record has exactly one encoding, and names its subject.
func TestRecord(t *testing.T) {
	head, err := tree.ParseHash(strings.Repeat("1", 40))
	if err != nil {
		t.Fatal(err)
	}
	good := proof.Record{V: proof.Version, Engine: "1", Workspace: "w", Proposal: "p", Head: head, Effective: "sha256:cc", Result: head, Trials: []proof.Trial{trial()}}
	data, err := good.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := proof.Decode(data)
	if err != nil || !cmp.Equal(good, back) {
		t.Fatal(err, cmp.Diff(good, back))
	}
	if _, err := proof.Decode(append(data, ' ')); err == nil {
		t.Error("something behind it is read")
	}
	for name, change := range map[string]func(*proof.Record){
		"another version": func(r *proof.Record) { r.V++ },
		"no head":         func(r *proof.Record) { r.Head = tree.Hash{} },
		"no result":       func(r *proof.Record) { r.Result = tree.Hash{} },
		"no trial":        func(r *proof.Record) { r.Trials = nil },
		"two lines":       func(r *proof.Record) { r.Engine = "a\nb" },
		"no subject":      func(r *proof.Record) { r.Trials[0].Subject = "" },
		"no state":        func(r *proof.Record) { r.Trials[0].State = "good" },
		"below nothing":   func(r *proof.Record) { r.Trials[0].Failed = -1 },
		"more than all":   func(r *proof.Record) { r.Trials[0].Mastery = 1.1 },
		"never run":       func(r *proof.Record) { r.Trials[0].Repeat = 0 },
		"no list":         func(r *proof.Record) { r.Trials[0].Against = nil },
	} {
		bad := good
		bad.Trials = []proof.Trial{trial()}
		change(&bad)
		if _, err := bad.Encode(); err == nil {
			t.Errorf("%s: it is recorded", name)
		}
	}
}

func TestTrial(t *testing.T) {
	got := trial()
	if len(got.Failing) != 1 || !strings.HasPrefix(got.Failing[0], "own: bad (fail): two lines ") || len(got.Failing[0]) > 256 {
		t.Errorf("%q", got.Failing)
	}
	if got.Held() || got.Unfinished() || got.Check() != nil {
		t.Error(got.Held(), got.Unfinished(), got.Check())
	}
	got.State, got.RequiredFailed = suite.Passed, 0
	if got.Held() {
		t.Error("what stands against it is passed over")
	}
	got.Against = []string{}
	if !got.Held() {
		t.Error("a case that is not required keeps it from holding")
	}
	got.State, got.RequiredSkipped = suite.Incomplete, 1
	if !got.Unfinished() || got.Held() {
		t.Error("what was not run is taken for an outcome")
	}
}
