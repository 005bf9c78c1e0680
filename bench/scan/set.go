package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/proposals/scanner"
	"github.com/assent-dev/assent/engine/scan"
)

// class is what all skills of a set are, where somebody said so.
type class string

const (
	unlabelled class = ""
	benign     class = "benign"
	malicious  class = "malicious"
)

// set is a folder of skills and what came of them.
type set struct {
	label, dir string
	class      class
	verdicts   map[scan.Verdict]int
	took       []time.Duration // one a skill, reading included
	rules      map[string]int  // skills that a rule blocked or escalated
}

func newSet(label, dir string) set {
	s := set{label: label, dir: dir, verdicts: map[scan.Verdict]int{}, rules: map[string]int{}}
	for _, c := range []class{benign, malicious} {
		if name, ok := strings.CutSuffix(label, ":"+string(c)); ok {
			s.label, s.class = name, c
		}
	}
	return s
}

func (s *set) n() int { return len(s.took) }

// measure scans each skill by itself, so that its time is its own. What lies
// beside the skills of the folder is no skill and is left out.
func (s *set) measure(ctx context.Context, list io.Writer) error {
	targets, err := scanner.Find(ctx, []string{s.dir})
	if err != nil {
		return err
	}
	if len(targets) > 1 {
		targets = slices.DeleteFunc(targets, func(t *scanner.Target) bool { return t.Below == "" })
	}
	for _, t := range targets {
		began := spent()
		err := scanner.Run(ctx, []*scanner.Target{t}, scanner.Options{Workers: 1}, func(r scan.Result) error {
			s.took = append(s.took, spent()-began)
			s.add(r, list)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *set) add(r scan.Result, list io.Writer) {
	s.verdicts[r.Verdict]++
	seen := map[string]bool{}
	for _, d := range r.Findings {
		if d.Severity == diag.Note {
			continue
		}
		fmt.Fprintf(list, "%s: %s: %s | %s\n", s.label, r.Path, d, d.Evidence)
		if key := fmt.Sprintf("%s %s", d.Severity, d.Rule); !seen[key] {
			seen[key] = true
			s.rules[key]++
		}
	}
	if r.Verdict == scan.Pass && s.class == malicious {
		fmt.Fprintf(list, "%s: %s: passes\n", s.label, r.Path)
	}
}

// quantile is the time that a share q of the skills did not exceed.
func (s *set) quantile(q float64) time.Duration {
	if s.n() == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.took))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
