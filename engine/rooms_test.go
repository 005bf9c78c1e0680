package engine_test

import (
	"flag"
	"fmt"
	"go/doc"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ring says how near to the world a package stands, inmost first. A package imports its own
// ring and those before it.
type ring string

const (
	pure    ring = "pure"     // decides: time, randomness and files come in as values
	effects ring = "effects"  // touches the world, and knows no other such package but those in made
	observe ring = "observe"  // what is in force
	use     ring = "use case" // observe, decide, apply
	shell   ring = "shell"    // flags, output, passes that begin by themselves
	tests   ring = "test"     // imported by tests only
)

// order is that of the rings.
var order = []ring{pure, effects, observe, use, shell, tests}

// room is a folder below engine/: what belongs together, of any ring.
type room struct {
	name string
	// imports are the rooms that it may know, all of which stand before it.
	imports string
	// packages are those in it, by ring; "." is the room's own folder.
	packages map[ring]string
}

// rooms gives every package its room and its ring. All that holds for packages is derived
// from it: what TestArchitecture refuses, the linter's list, the table in each room's README.
var rooms = []room{
	{"base", "", map[ring]string{
		pure:    "canonical condition diag markup names order pattern plaintext strictyaml tree version",
		effects: "heap tempdir",
		tests:   "effort",
	}},
	{"git", "base", map[ring]string{
		effects: "gitrun gitstore journal remote",
		tests:   "gitstore/disktest gitstore/storetest",
	}},
	{"format", "base", map[ring]string{
		pure: "advice capability checkpoint composed drafter learn plan proof proposal provenance review schema snippet soul suite upstream webhook",
	}},
	{"registry", "base format", map[ring]string{
		pure: "archive conflict critic gaps graph health index link resolution trial",
	}},
	{"scan", "base", map[ring]string{
		pure: ". program",
	}},
	{"forge", "base git format", map[ring]string{
		pure:    ". host",
		effects: "gitea github hosted hub local rest",
		tests:   "forgetest gitea/giteatest host/hosttest host/memhost",
	}},
	{"sandbox", "", map[ring]string{
		pure:    "redact runtime",
		effects: ". cgroup egress stage",
	}},
	{"gate", "base format registry scan forge sandbox", map[ring]string{
		pure: ". duplicate migrate policy scenario stop validate workflow",
	}},
	{"home", "base format registry scan sandbox", map[ring]string{
		effects: ". ask calls indexfile keys",
	}},
	{"workspace", "base git format registry scan forge sandbox gate home", map[ring]string{
		pure:    "run",
		effects: "runlog trialdb triallog",
		observe: ". archive attest",
		tests:   "trialdb/pgtest worldtest",
	}},
	{"audit", "base git format registry forge gate workspace", map[ring]string{
		use: ". exchange maintain",
	}},
	{"tools", "base format registry forge sandbox gate home workspace", map[ring]string{
		effects: "mcpclient",
		use:     "acquire answers discover linker machine memory prove script tool",
	}},
	{"proposals", "base git format registry scan forge sandbox gate home workspace audit tools", map[ring]string{
		pure:    "render",
		effects: "folder",
		use:     "approve contribute exporter fill followup gc genesis importer merge propose quarantine scanner simulate tracked",
	}},
	{"flows", "base git format registry forge sandbox gate home workspace audit tools proposals", map[ring]string{
		pure:    "actions notice",
		effects: "notify",
		use:     "announce connect doctor reconcile task work",
		shell:   "serve",
	}},
	{"agents", "base git format registry forge sandbox gate home workspace audit tools proposals flows", map[ring]string{
		pure:    "hook settings transcript",
		effects: "install",
		observe: "project",
		use:     "critique mission respond skillsync toolset",
		shell:   "mcpserver",
		tests:   "agenttest",
	}},
	{"cli", "base git format registry scan forge sandbox gate home workspace audit tools proposals flows agents", map[ring]string{
		shell: ". begin clients complete console demo inforce judging output proposals runs transfer you",
		tests: "clitest services",
	}},
	{"attacks", "", map[ring]string{
		tests: ". repositories stress",
	}},
}

// made are packages of effects that are made of others, and which.
var made = map[string]string{
	"git/gitstore":       "git/gitrun",
	"git/gitrun":         "base/tempdir",
	"git/remote":         "base/tempdir git/gitrun git/gitstore",
	"git/journal":        "git/gitstore",
	"home/calls":         "home",
	"home/indexfile":     "home",
	"home/keys":          "home",
	"flows/notify":       "home",
	"workspace/runlog":   "git/gitstore git/journal",
	"workspace/triallog": "git/gitstore home",
	"forge/gitea":        "forge/rest",
	"forge/github":       "forge/rest",
	"forge/local":        "git/gitstore git/journal",
	"forge/hub":          "git/gitstore forge/local git/remote",
	"forge/hosted":       "git/gitstore git/journal forge/hub forge/local git/remote",
	"sandbox":            "sandbox/cgroup sandbox/egress sandbox/stage",
}

// ringOf is the ring of a package below engine/, empty for one that no room lists.
func ringOf(name string) ring {
	top, rest, _ := strings.Cut(name, "/")
	if rest == "" {
		rest = "."
	}
	for _, r := range rooms {
		for at, packages := range r.packages {
			if r.name == top && slices.Contains(strings.Fields(packages), rest) {
				return at
			}
		}
	}
	return ""
}

// named are the packages of a ring, sorted.
func named(of ring) []string {
	var all []string
	for _, r := range rooms {
		for _, p := range strings.Fields(r.packages[of]) {
			all = append(all, path.Join(r.name, p))
		}
	}
	slices.Sort(all)
	return all
}

// mayKnow reports whether one room may import another.
func mayKnow(from, to string) bool {
	for _, r := range rooms {
		if r.name == from {
			return from == to || slices.Contains(strings.Fields(r.imports), to)
		}
	}
	return false
}

var update = flag.Bool("update", false, "write what is derived from the table of rooms")

// TestRooms: each room imports rooms before it only, and its README and the linter's list say
// what the table does.
func TestRooms(t *testing.T) {
	packages, err := readSources(os.DirFS(".."), "engine")
	if err != nil {
		t.Fatal(err)
	}
	synopsis := map[string]string{}
	for _, p := range packages {
		for _, file := range p.files {
			if text := file.Doc.Text(); text != "" {
				first := new(doc.Package).Synopsis(text)
				synopsis[p.name()] = strings.TrimPrefix(first, "Package "+file.Name.Name+" ")
			}
		}
	}
	var before []string
	for _, r := range rooms {
		for _, known := range strings.Fields(r.imports) {
			if !slices.Contains(before, known) {
				t.Errorf("%s imports %s, which does not stand before it", r.name, known)
			}
		}
		before = append(before, r.name)
		text, err := os.ReadFile(r.name + "/README.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inlineCode.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(path.Join(r.name, m[1])); strings.HasSuffix(m[1], ".go") && err != nil {
				t.Errorf("the README of %s names %s, which is not there", r.name, m[1])
			}
		}
		derived(t, r.name+"/README.md", regexp.MustCompile(`(?s)(<!-- from rooms_test\.go -->\n).*?(<!-- end -->)`), r.table(synopsis))
	}
	list := `            - "**/engine/{` + strings.Join(named(pure), ",") + `}/*.go"` + "\n"
	derived(t, "../.golangci.yml", regexp.MustCompile(`(# from engine/rooms_test\.go\n)[^\n]*\n()`), list)
}

// table is the part of a room's README that is derived.
func (r room) table(synopsis map[string]string) string {
	var out strings.Builder
	knows := "nothing of the engine"
	if r.imports != "" {
		knows = "`" + strings.Join(strings.Fields(r.imports), "`, `") + "`"
	}
	fmt.Fprintf(&out, "May import %s.\n\n| package | ring | |\n| --- | --- | --- |\n", knows)
	for _, at := range order {
		for _, p := range strings.Fields(r.packages[at]) {
			name := path.Join(r.name, p)
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", name, at, strings.ReplaceAll(synopsis[name], "|", `\|`))
		}
	}
	return out.String()
}

// derived asks that a part of a file is as derived, or writes it.
func derived(t *testing.T, file string, part *regexp.Regexp, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !part.Match(text) {
		t.Fatalf("%s has no place for what is derived from the table of rooms: %s", file, part)
	}
	now := part.ReplaceAllFunc(text, func(found []byte) []byte {
		m := part.FindSubmatch(found)
		return slices.Concat(m[1], []byte(want), m[2])
	})
	switch {
	case string(now) == string(text):
	case *update:
		if err := os.WriteFile(file, now, 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not say what the table of rooms does: go test ./engine -run TestRooms -update", file)
	}
}
