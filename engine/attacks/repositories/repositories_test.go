package repositories_test

import (
	"context"
	"crypto/rand"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/clitest"
	"github.com/assent-dev/assent/engine/cli/console"
)

// TestMain makes this binary the programs assent and assent-at TIME, whose clock is set to TIME.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assent": func() { os.Exit(clitest.Main()) }, "assent-at": func() { os.Exit(at()) }})
}

func at() int {
	when, err := time.Parse(time.RFC3339, os.Args[1])
	if err != nil {
		panic(err)
	}
	return cli.Run(context.Background(), os.Args[2:], console.World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Unattended: func() (bool, error) { return true, nil },
		Now: func() time.Time { return when }, Random: rand.Reader, Width: func() int { return 80 }})
}

// answer is how far assent works in a situation.
type answer string

const (
	works   answer = "yes"
	partly  answer = "partly"
	refuses answer = "no"
)

// situation is one kind of repository that people have.
type situation struct {
	name   string
	answer answer
	// says is the sentence that assent prints, if any. The row of docs/repositories.md repeats it.
	says string
	// make brings the copied workspace into the situation, or skips.
	make func(p *place)
	// hold checks the situation; if it is nil, works runs the whole journey and refuses expects
	// every command to be refused.
	hold func(p *place)
	// code is the exit code of a refusal, by default that of an unusable repository.
	code int
}

func situations() []situation {
	return slices.Concat(layouts(), storage(), references(), settings(), checkouts(), surroundings(), places())
}

// TestRepositories brings a copy of one workspace into every situation and follows
// a proposal through its life there.
func TestRepositories(t *testing.T) {
	seed := prepared(t)
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := copied(t, seed)
			s.make(p)
			switch {
			case s.hold != nil:
				s.hold(p)
			case s.answer == refuses:
				if s.code == 0 {
					s.code = 2
				}
				p.refused(s.code, s.says)
			default:
				p.journey()
				if s.says != "" {
					p.assent("doctor").exits(p, 0).says(p, s.says)
				}
			}
		})
	}
}

// row is a row of the table in docs/repositories.md.
var row = regexp.MustCompile("(?m)^\\|[^|]+\\| (yes|partly|no) \\|([^|]*)\\| `([a-z0-9-]+)` \\|$")

// TestDocumented compares docs/repositories.md with the situations: each has a row with the same
// answer and sentence.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/repositories.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		if rows[m[3]] != nil {
			t.Errorf("two rows for %s", m[3])
		}
		rows[m[3]] = m
	}
	if lines := strings.Count(string(text), "\n| ") - 2*strings.Count(string(text), "\n| Situation"); lines != len(rows) {
		t.Errorf("%d of %d rows are understood", len(rows), lines)
	}
	for _, s := range situations() {
		m := rows[s.name]
		switch {
		case m == nil:
			t.Errorf("no row for %s", s.name)
		case m[1] != string(s.answer):
			t.Errorf("%s: the row says %q, the test %q", s.name, m[1], s.answer)
		case !strings.Contains(m[2], s.says):
			t.Errorf("%s: the row does not show %q", s.name, s.says)
		}
		delete(rows, s.name)
	}
	for name := range rows {
		t.Errorf("a row names %s, which is no test", name)
	}
}
