package main

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// scanner runs the benchmarks of package scan, whose texts stand beside them.
func scanner(ctx context.Context, b *bench) ([]line, error) {
	benchtime := "2s"
	if b.quick {
		benchtime = "2x"
	}
	texts, err := goBench(ctx, "scan", "^Benchmark(Literals|Files)$", benchtime)
	if err != nil {
		return nil, err
	}
	hostile, err := goBench(ctx, "scan", "^BenchmarkHostile$", "1x")
	if err != nil {
		return nil, err
	}
	return scanLines(texts, hostile)
}

func scanLines(texts, hostile []*benchfmt.Result) ([]line, error) {
	took, rate := map[string]float64{}, map[string]float64{}
	for _, r := range texts {
		name := string(r.Name.Base())
		took[name], _ = r.Value("sec/op")
		rate[name], _ = r.Value("B/s")
	}
	if took["Files"] == 0 || took["Literals"] == 0 || rate["Literals"] == 0 {
		return nil, fmt.Errorf("package scan has no BenchmarkLiterals and BenchmarkFiles")
	}
	worst, name := 0.0, ""
	for _, r := range hostile {
		if v, _ := r.Value("sec/op"); v > worst {
			_, sub := r.Name.Parts()
			worst, name = v, strings.TrimPrefix(string(sub[0]), "/")
		}
	}
	return []line{
		{What: "21 KB of ordinary text", Peer: "one pass that finds the same literals", Unit: inSeconds, Ours: took["Files"], Theirs: took["Literals"], Goal: 1.3},
		{What: "the worst line of 1 MiB that we could make: " + name, Peer: "one such pass over 1 MiB, by its rate", Unit: inSeconds, Ours: worst, Theirs: 1 << 20 / rate["Literals"]},
	}, nil
}
