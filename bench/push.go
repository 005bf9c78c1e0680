package main

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// pushBesideGit runs the benchmark that stands beside the tests of pushing, because
// it needs their HTTP server. It takes its turns itself.
func pushBesideGit(ctx context.Context, b *bench) ([]line, error) {
	pattern, times := "^BenchmarkPush$", "20x"
	if b.quick {
		pattern, times = "^BenchmarkPush$/-1000$", "2x"
	}
	results, err := goBench(ctx, "git/remote", pattern, times)
	if err != nil {
		return nil, err
	}
	return pushLines(results)
}

// pushLines reads what BenchmarkPush reports: names end in /PLACE-SIZE, times are
// metrics called assent-ms and git-ms.
func pushLines(results []*benchfmt.Result) ([]line, error) {
	var lines []line
	for _, r := range results {
		ours, a := r.Value("assent-ms")
		theirs, b := r.Value("git-ms")
		_, sub := r.Name.Parts()
		if !a || !b || len(sub) == 0 {
			return nil, fmt.Errorf("%s reports no assent-ms and git-ms", r.Name)
		}
		place, size, _ := strings.Cut(strings.TrimPrefix(string(sub[0]), "/"), "-")
		lines = append(lines, line{
			What: place + ", " + size + " capabilities", Peer: "`git push`", Unit: inSeconds, Ours: ours / 1000, Theirs: theirs / 1000, Goal: 1,
		})
	}
	return lines, nil
}
