package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

var expected = regexp.MustCompile(`^[0-9a-f]{40}@[0-9a-f]{40}$`)

// Checker reads one workspace as often as asked; what it read stays known.
type Checker struct {
	*repo
	refs     map[string]string
	line     []*commit      // main, oldest first
	reach    map[string]int // by commit: the place of the first commit of main that it is below
	genesis  string
	unsigned bool // see Open
	accepted []string
	now      time.Time
	judged   time.Time // the date of the newest merge in force, or of the genesis
}

// Blocked is a commit past what is in force.
type Blocked struct {
	Commit string `json:"commit"`
	Why    string `json:"why"`
	// Break says that somebody listed announced it: what comes after it needs critical approval.
	Break bool `json:"break"`
	// Unverified says that nothing shows it to be wrong: it rests on what cannot be derived here.
	Unverified bool `json:"unverified"`
}

// Result is what was found out.
type Result struct {
	Workspace string    `json:"workspace"`
	Main      string    `json:"main"`
	InForce   string    `json:"in_force"`
	Commits   int       `json:"commits"`
	Merges    []Merge   `json:"merges"`
	Blocked   []Blocked `json:"blocked"`
	// Reanchored are the commits that gave the workspace a new key which this reader accepts.
	Reanchored []string `json:"reanchored"`
	past       []string // all that were ever in force
}

// Check judges main since genesis, oldest first.
func (v *Checker) Check(now time.Time) (res Result, err error) {
	v.now, v.refs, v.reach, v.line = now, map[string]string{}, map[string]int{}, nil
	listed := v.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/main", "refs/assent/pulls/", "refs/assent/closed/")
	for line := range strings.Lines(listed) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		v.refs[name] = id
	}
	for id := v.refs["refs/heads/main"]; id != "" && len(v.line) < maxCommits && v.err == nil; {
		c := v.commit(id)
		v.line, id = append(v.line, c), c.parent()
	}
	slices.Reverse(v.line)
	genesis := slices.IndexFunc(v.line, func(c *commit) bool { return c.trailer("Assent-Genesis") != "" })
	if err := v.take(); err != nil || genesis < 0 {
		return res, fmt.Errorf("main: %w", errors.Join(err, errors.New("no commit begins a workspace")))
	}
	from := v.line[genesis]
	v.genesis, v.judged = from.id, from.date
	res = Result{from.id, v.line[len(v.line)-1].id, from.id, len(v.line) - genesis, []Merge{}, []Blocked{}, []string{}, []string{from.id}}
	for i, c := range v.line {
		v.under(c.id, i)
		if err := v.take(); err != nil && !errors.Is(err, errUnreadable) {
			return res, err
		}
		if i > genesis {
			if from, err = v.step(&res, from, c); err != nil {
				return res, err
			}
		}
	}
	return res, nil
}

// step judges one commit and returns what is in force after it.
func (v *Checker) step(res *Result, from, c *commit) (*commit, error) {
	// Taking back what may well be in force would bring older policies back without any approval.
	broken := slices.ContainsFunc(res.Blocked, func(b Blocked) bool { return b.Break || b.Unverified })
	changed := v.diff(from.tree, c.tree, governed...)
	var m *Merge
	counts, err := false, v.take()
	if err == nil && len(changed) > 0 {
		m, counts, err = v.judge(from, c, broken)
	} else if err == nil && broken {
		return from, nil
	}
	if err == nil {
		if m != nil {
			v.judged, res.Merges = c.date, append(res.Merges, *m)
		} else if len(changed) > 0 {
			v.judged, res.Reanchored = c.date, append(res.Reanchored, c.id)
		}
		res.InForce, res.Blocked, res.past = c.id, []Blocked{}, append(res.past, c.id)
		return c, nil
	}
	unverified := errors.Is(err, errUnverified)
	if !unverified && !errors.Is(err, errRefused) && !errors.Is(err, errUnreadable) {
		return from, fmt.Errorf("judge %s: %w", c.id, err)
	}
	res.Blocked = append(res.Blocked, Blocked{c.id, strings.TrimPrefix(err.Error(), "refused: "), counts, unverified})
	return from, nil
}

// under notes what is below a commit of main and was not below those before it.
func (v *Checker) under(id string, place int) {
	for todo := []string{id}; len(todo) > 0 && v.err == nil; {
		id, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if _, known := v.reach[id]; !known {
			v.reach[id] = place
			todo = append(todo, v.commit(id).parents...)
		}
	}
}

// Run is the command. It exits with 0 where all of main is in force, 1 where something is not, 2 for a wrong
// command line and 4 where it could not be found out.
func Run(args []string, out, errs io.Writer) int {
	f := flag.NewFlagSet("assent-verify [flags] [REPOSITORY]", flag.ContinueOnError)
	f.SetOutput(errs)
	asJSON := f.Bool("json", false, "print JSON")
	unsigned := f.Bool("unsigned", false, "believe attestations that neither a human nor a witness signed")
	var accepted []string
	f.Func("reanchor", "`KEY`, as SHA256:..., under which re-anchors are accepted; may be repeated", func(key string) error {
		accepted = append(accepted, key)
		return nil
	})
	expect := f.String("expect", "", "`WORKSPACE@COMMIT` that must be this workspace and have been in force")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	} else if noKey := func(k string) bool { return !keyShape.MatchString(k) }; f.NArg() > 1 ||
		*expect != "" && !expected.MatchString(*expect) || slices.ContainsFunc(accepted, noKey) {
		f.Usage()
		return 2
	}
	v, err := Open(cmp.Or(f.Arg(0), "."), *unsigned, accepted...)
	var res Result
	if err == nil {
		defer v.Close()
		res, err = v.Check(time.Now())
	}
	if err != nil {
		fmt.Fprintln(errs, plain("assent-verify: %v", err))
		return 4
	}
	workspace, commit, given := strings.Cut(*expect, "@")
	if given && (workspace != res.Workspace || !slices.Contains(res.past, commit)) {
		res.Blocked = append(res.Blocked, Blocked{Commit: commit, Why: "it was never in force in this workspace, although that was expected"})
	}
	if *asJSON {
		text, _ := json.MarshalIndent(res, "", "  ")
		fmt.Fprintf(out, "%s\n", text)
	} else {
		res.print(out)
	}
	return min(len(res.Blocked), 1)
}

// plain is text without what a terminal could obey.
func plain(format string, args ...any) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, fmt.Sprintf(format, args...))
}

func (res Result) print(out io.Writer) {
	say := func(format string, args ...any) { fmt.Fprintln(out, plain(format, args...)) }
	say("in force   %s", res.InForce)
	say("main       %s, %d commits since genesis, %d merges judged", res.Main, res.Commits, len(res.Merges))
	say("workspace  %s", res.Workspace)
	for _, m := range res.Merges {
		needs, approved := strings.Join(m.Needs, ", "), cmp.Or(strings.Join(m.Approved, ", "), "nobody")
		say("merge      %.10s %s: risk %s needs %s; approved by %s", m.Commit, m.Proposal, m.Risk, needs, approved)
		for _, t := range m.Taken {
			say("           taken from the attestation by %s: %s", cmp.Or(m.Signer, "nobody who is human or witness"), t)
		}
	}
	for _, id := range res.Reanchored {
		say("re-anchor  %.10s: every key of a human before it is revoked, because you accept its key", id)
	}
	for _, b := range res.Blocked {
		say("%-10s %.10s: %s", map[bool]string{true: "broken", false: "blocked"}[b.Break], b.Commit, b.Why)
	}
}
