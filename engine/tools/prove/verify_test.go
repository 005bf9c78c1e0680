package prove_test

import (
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// hostile would end a comment, a string or a field in one of the languages, or have the
// rest of the file read as something else.
const hostile = "Reads it as coding: rot13 or -*- coding: utf-7 -*- +AAo-import os+ADs-os._exit(3)+AAo-" +
	" with \" ' ` and \\ and ''' and \"\"\" and */ and --> and ${process.exit(3)} and $(exit 3) and {{.Name}} and %s" +
	"\nimport os; os._exit(3)\r\nprocess.exit(3)\u2028process.exit(3)\u2029exit 3\u0085exit 3\vx\fx" +
	"\n---\nname: other\n---\n# <!-- @ts-nocheck --> 'use strict' #!/bin/sh \x00\x1b[31m\u202e"

func scaffolded(t *testing.T, kind capability.Kind, o capability.ScaffoldOptions) (*view, string) {
	t.Helper()
	edits, found := capability.Scaffold(kind, "3d-x", o)
	if found.HasErrors() {
		t.Fatal(found)
	}
	m := tree.NewMap(edits...)
	return &view{m, capability.NamerOf(m)}, path.Dir(edits[0].Path)
}

// Every filled template compiles, starts, lists its methods, refuses wrong input and reports that
// it is not implemented.
func TestScaffolds(t *testing.T) {
	b := box(t, "python3", "jq")
	type start struct {
		kind  capability.Kind
		o     capability.ScaffoldOptions
		needs string
	}
	all := map[string]start{}
	for _, r := range []capability.Runtime{capability.Python, capability.Bash, capability.Starlark, capability.Node} {
		all[string(r)] = start{capability.KindTool, capability.ScaffoldOptions{Runtime: r}, map[capability.Runtime]string{capability.Node: "node"}[r]}
	}
	for _, template := range capability.Templates() {
		for _, l := range capability.Languages() {
			o := capability.ScaffoldOptions{Template: template, Language: l}
			if template != capability.Files {
				o.Hosts, o.Secrets = []string{"api.example.com:443"}, []string{"API_TOKEN"}
			}
			all[string(template)+" in "+string(l)] = start{capability.KindMCP, o, map[capability.Language]string{capability.TypeScript: "node"}[l]}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(s.needs); s.needs != "" && err != nil {
				t.Skip(err)
			}
			s.o.Description = hostile
			v, dir := scaffolded(t, s.kind, s.o)
			o := prove.Options{Runner: b, Policies: admitting(), Now: time.Now, Workers: 2}
			checks, err := o.Verify(t.Context(), v, dir, "", tree.NewMap())
			if err != nil {
				t.Fatal(err)
			}
			unwritten := 0
			for _, k := range checks {
				if k.Verdict != suite.Pass {
					t.Errorf("%s: %v", name, k)
				}
				if k.Says == "it says that it is not implemented" {
					unwritten++
				}
			}
			if want := map[capability.Kind]int{capability.KindTool: 1, capability.KindMCP: 2}[s.kind]; unwritten != want {
				t.Errorf("%s: %d calls are not implemented, want %d: %v", name, unwritten, want, checks)
			}
		})
	}
}

// Each failed check is reported.
func TestVerify(t *testing.T) {
	b := box(t, "python3")
	beside := viewOf(folder("other", "kind: skill\nversion: 1.0.0\n", ""))
	server := "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py}\n"
	skill := func(description string) map[string]string {
		return map[string]string{"skills/x/SKILL.md": "---\nname: x\ndescription: " + description + "\n---\n# X\n"}
	}
	with := func(files map[string]string, name, text string) map[string]string {
		files["skills/x/"+name] = text
		return files
	}
	for _, w := range []struct {
		files         map[string]string
		trigger, what string
		verdict       suite.Verdict
		says          string
	}{
		{folder("x", python, "", "main.py", "print(1)"), "", "reads", suite.Fail, "needs a schema"},
		{folder("x", python+schema, "", "main.py", "def"), "", "a call", suite.Fail, "SyntaxError"},
		{folder("x", python+schema, "", "main.py", "print('a')"), "", "a call", suite.Pass, "it answers"},
		{folder("x", python+schema, "", "main.py", "import sys\nsys.exit('no paper')"), "", "a call", suite.Pass, "why it does not answer: no paper"},
		{folder("x", python+schema, "cases:\n  - {name: two, input: {text: a}, expect: {equals: 2}}\n", "main.py", "print(1)"), "", "its cases", suite.Fail, "own: two: answers 1"},
		{folder("x", "run: {runtime: python, entry: scripts/main.py}\n"+schema, "", "main.py", "raise NotImplementedError('not implemented')"), "", "a call", suite.Fail, "NotImplementedError"},
		{with(folder("x", server, "", "main.py", "import sys\nsys.exit('ValueError: no key')"), "server.json", "{}"), "", "starts", suite.Fail, "ValueError: no key"},
		{skill("Writes poems. Use when rhymes are asked for."), "", prove.Found, suite.Pass, "as number 1 of 2"},
		{skill("Writes poems."), "", prove.Found, suite.Skip, "does not say yet"},
		{skill("Writes poems."), "poems", prove.Found, suite.Pass, "as number 1 of 2"},
		{skill("Writes poems. Use when rhymes are asked for."), "needed thing", prove.Found, suite.Fail, "not among the first"},
	} {
		o := prove.Options{Runner: b, Policies: admitting(), Now: time.Now}
		checks, err := o.Verify(t.Context(), viewOf(w.files), "skills/x", w.trigger, beside)
		if err != nil {
			t.Fatal(err)
		}
		last := checks[len(checks)-1]
		for _, k := range checks {
			if k.What == w.what {
				last = k
			}
		}
		if last.What != w.what || last.Verdict != w.verdict || !strings.Contains(last.Says, w.says) {
			t.Errorf("%s %s %q: %v", w.what, w.verdict, w.says, checks)
		}
	}
}
