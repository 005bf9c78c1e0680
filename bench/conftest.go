package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/names"
)

// trivial is the one rule that the peer asks of each file.
const trivial = `package main

deny contains msg if {
	not input.name
	msg := "it has no name"
}
`

// beside compares whole commands that say whether a change may come into a large
// registry: ours, which judges the change by all rules and the rest by name, and
// conftest, which knows nothing of changes and asks one trivial rule of every front
// matter.
func beside(ctx context.Context, b *bench) ([]line, error) {
	conftest, err := exec.LookPath(cmp.Or(os.Getenv("ASSENT_BENCH_CONFTEST"), "conftest"))
	if err != nil {
		fmt.Fprintln(b.log, "row 12 is left out: conftest is neither on the PATH nor named by ASSENT_BENCH_CONFTEST; go install github.com/open-policy-agent/conftest@v0.66.0")
		return nil, nil
	}
	s, err := b.scene(ctx, kept.Spec{Capabilities: b.middle})
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.temp, "conftest")
	n, err := frontMatter(s.Repo, filepath.Join(dir, "files"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "trivial.rego"), []byte(trivial), 0o600); err != nil {
		return nil, err
	}
	var worked [3][]float64 // how long processors worked for each
	peer := func() (float64, error) {
		u, err := measure.Run(ctx, dir, conftest, "test", "--policy", "trivial.rego", "files")
		worked[2] = append(worked[2], u.Processor)
		return u.Seconds, err
	}
	judged := command{name: "validate", args: func(s *scene) ([]string, error) {
		return []string{"validate", "--base", "main", "--head", "proposal/" + s.open}, nil
	}}
	ours := func(n int, c command) measure.Sample {
		var ignored float64
		sample := c.sample(ctx, s, &ignored)
		return func() (float64, error) {
			took, err := sample()
			worked[n] = append(worked[n], s.last.Processor)
			return took, err
		}
	}
	took, err := b.long.Medians(ctx, ours(0, judged), ours(1, question("check", "check")), peer)
	if err != nil {
		return nil, err
	}
	var cpu [3]float64
	for n, all := range worked {
		cpu[n] = measure.Median(all[1:]) // the first one warms up
	}
	theirs := fmt.Sprintf("conftest, one trivial rule, %d files", n)
	return []line{
		{What: "`assent validate` of one proposal, " + capabilities(b.middle), Peer: theirs, Unit: inSeconds, Ours: took[0], Theirs: took[2], Goal: 0.05},
		{What: "the same, processor time", Peer: theirs, Unit: inSeconds, Ours: cpu[0], Theirs: cpu[2], Goal: 0.05},
		{What: "`assent check`, nothing changed, " + capabilities(b.middle), Peer: theirs, Unit: inSeconds, Ours: took[1], Theirs: took[2], Goal: 0.05},
		{What: "the same, processor time", Peer: theirs, Unit: inSeconds, Ours: cpu[1], Theirs: cpu[2], Goal: 0.05},
	}, nil
}

// frontMatter writes the front matter of every SKILL.md below a checkout as a file of
// its own, in the form that the peer reads, and returns how many there are.
func frontMatter(checkout, dir string) (int, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	n := 0
	err := filepath.WalkDir(filepath.Join(checkout, "skills"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != names.SkillFile {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(text), "---\n")
		head, _, _ := strings.Cut(rest, "\n---\n")
		if err := yaml.Unmarshal([]byte(head), &map[string]any{}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		n++
		return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", n)), []byte(head+"\n"), 0o600)
	})
	return n, err
}
