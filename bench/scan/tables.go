package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/bench/scan/edits"
	"github.com/assent-dev/assent/bench/wilson"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/scan"
)

func setTable(b *strings.Builder, sets []set) {
	if len(sets) == 0 {
		return
	}
	b.WriteString("| set | skills | block | escalate | pass | p50 | p95 | max |\n| --- | ---: | --- | --- | --- | ---: | ---: | ---: |\n")
	for _, s := range sets {
		name := s.label
		if s.class != unlabelled {
			name += ", all " + string(s.class)
		}
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", name, s.n(),
			wilson.Share(s.verdicts[scan.Block], s.n()), wilson.Share(s.verdicts[scan.Escalate], s.n()), wilson.Share(s.verdicts[scan.Pass], s.n()),
			ms(s.quantile(0.5)), ms(s.quantile(0.95)), ms(s.quantile(1)))
	}
	b.WriteString("\n")
	for _, s := range sets {
		switch s.class {
		case malicious:
			fmt.Fprintf(b, "- %s: recall %s blocked or escalated, %s blocked.\n", s.label, wilson.Share(s.n()-s.verdicts[scan.Pass], s.n()), wilson.Share(s.verdicts[scan.Block], s.n()))
		case benign:
			fmt.Fprintf(b, "- %s: false positives %s blocked or escalated, %s blocked.\n", s.label, wilson.Share(s.n()-s.verdicts[scan.Pass], s.n()), wilson.Share(s.verdicts[scan.Block], s.n()))
		}
	}
	for _, s := range sets {
		if len(s.rules) > 0 {
			fmt.Fprintf(b, "- %s, by rule: %s.\n", s.label, byRule(s.rules))
		}
	}
	b.WriteString("\n")
}

// byRule names the rules that spoke most often first.
func byRule(rules map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(rules), func(a, b string) int {
		if rules[a] != rules[b] {
			return rules[b] - rules[a]
		}
		return strings.Compare(a, b)
	})
	const most = 12
	var out []string
	for _, key := range keys[:min(most, len(keys))] {
		severity, rule, _ := strings.Cut(key, " ")
		out = append(out, fmt.Sprintf("`%s` %s %d", rule, severity, rules[key]))
	}
	if len(keys) > most {
		out = append(out, fmt.Sprintf("%d more rules", len(keys)-most))
	}
	return strings.Join(out, ", ")
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

// editTable says how many edits of each kind draw a new warning or error.
func editTable(b *strings.Builder, dir string, list io.Writer) error {
	all, err := edits.Load(dir)
	if err != nil || len(all) == 0 {
		return err
	}
	total, hit, plain := map[string]int{}, map[string]int{}, map[string]int{}
	var kinds []string
	for _, e := range all {
		found := scan.New(files(e.Base), files(e.Head), scan.Options{})
		if total[e.Kind]++; total[e.Kind] == 1 {
			kinds = append(kinds, e.Kind)
		}
		if scan.VerdictOf(found) != scan.Pass {
			hit[e.Kind]++
		}
		if differs(files(e.Base), files(e.Head)) {
			plain[e.Kind]++
		}
		fmt.Fprintf(list, "edit %s/%s: %s %v\n", e.Kind, e.Name, scan.VerdictOf(found), found)
	}
	slices.Sort(kinds)
	b.WriteString("| edits of clean skills | edits | draw a new warning or error | differ in two plain scans |\n| --- | ---: | --- | --- |\n")
	for _, k := range kinds {
		fmt.Fprintf(b, "| %s | %d | %s | %s |\n", k, total[k], wilson.Share(hit[k], total[k]), wilson.Share(plain[k], total[k]))
	}
	b.WriteString("\n")
	return nil
}

// differs reports whether a scan of head holds a finding, by rule and evidence, that
// a scan of base does not.
func differs(base, head []scan.File) bool {
	known := map[string]bool{}
	for _, d := range scan.Files(base, scan.Options{}) {
		known[d.Rule+d.Evidence] = true
	}
	for _, d := range scan.Files(head, scan.Options{}) {
		if !known[d.Rule+d.Evidence] {
			return true
		}
	}
	return false
}

func files(of []edits.File) []scan.File {
	out := make([]scan.File, len(of))
	for i, f := range of {
		out[i] = scan.File{Path: f.Path, Mode: tree.Regular, Content: f.Content}
	}
	return out
}

// inputTable times inputs of ten megabytes, each as files of the largest admitted
// size and as one.
func inputTable(b *strings.Builder) {
	b.WriteString("| 10 MB of | in files of 1 MB | in one file | in files of 1 kB |\n| --- | ---: | ---: | ---: |\n")
	for _, in := range inputs() {
		fmt.Fprintf(b, "| %s |", in.name)
		for _, size := range []int{1 << 20, tenMB, 1 << 10} {
			fmt.Fprintf(b, " %s |", ms(timed(in.files(size))))
		}
		b.WriteString("\n")
	}
}

func timed(files []scan.File) time.Duration {
	began := spent()
	scan.Files(files, scan.Options{MaxFile: tenMB})
	return spent() - began
}
