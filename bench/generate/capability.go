package generate

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Capability returns the files of capability i, which may be beyond N: then it is
// one to propose. Seven of ten are a SKILL.md alone, two have a capability.yaml
// beside it, one is a tool with code and tests. They require and apply to
// capabilities with lower numbers only.
func (o Options) Capability(i int) []tree.Edit {
	a := newAuthor(o.Seed, i)
	files := []tree.Edit{{Path: Path(i) + "/SKILL.md", Content: a.skill()}}
	add := func(name, content string, mode tree.Mode) {
		files = append(files, tree.Edit{Path: Path(i) + "/" + name, Mode: mode, Content: []byte(content)})
	}
	switch i % 10 {
	case 3, 6:
		add("capability.yaml", a.record("skill", i, i < o.N), tree.Regular)
	case 9:
		add("capability.yaml", a.record("tool", i, i < o.N)+toolFields, tree.Regular)
		add("scripts/main.py", fmt.Sprintf(toolCode, a.sentence(6)), tree.Executable)
		add("tests.yaml", fmt.Sprintf(toolTests, a.thing, a.thing), tree.Regular)
	}
	return files
}

// record is that of capability i; a new one does not begin as deprecated.
func (a author) record(kind string, i int, inForce bool) string {
	var b strings.Builder
	status := "active"
	if a.IntN(20) == 0 && inForce {
		status = "deprecated"
	}
	fmt.Fprintf(&b, "kind: %s\nversion: %d.%d.%d\nstatus: %s\ncategory: %s\ntags: [%s, %s, %s]\n",
		kind, 1+a.IntN(3), a.IntN(10), a.IntN(10), status, zipf(a.Rand, topics), a.thing, a.verb, zipf(a.Rand, things)+"-"+zipf(a.Rand, plain))
	if i > 0 && a.IntN(2) == 0 {
		fmt.Fprintf(&b, "requires: {capabilities: [%s]}\n", Name(a.IntN(i)))
	}
	if i > 0 && kind == "skill" && a.IntN(4) == 0 {
		fmt.Fprintf(&b, "applies_to: [%s]\n", Name(a.IntN(i)))
	}
	return b.String()
}

const (
	toolFields = `layer: base
run: {runtime: python, entry: scripts/main.py, timeout: 10s, memory: 256MiB, write: false}
input:
  type: object
  required: [text]
  properties:
    text: {type: string}
output:
  type: object
  properties:
    length: {type: integer}
side_effects: []
permissions: []
risk: low
`
	toolCode = `"""%s"""

import json
import sys

print(json.dumps({"length": len(json.loads(sys.argv[1])["text"])}))
`
	toolTests = `cases:
  - name: a few %s
    input: {text: %q}
    expect: {succeeds: true}
    tags: [smoke]
    required: true
`
)
