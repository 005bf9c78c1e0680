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
	texts, err := goBench(ctx, "scan", "^BenchmarkLayers$/^(literals|all)$", benchtime)
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
		_, sub := r.Name.Parts()
		name := strings.TrimPrefix(string(sub[0]), "/")
		took[name], _ = r.Value("cpu-sec/op")
		rate[name], _ = r.Value("B/s")
	}
	if took["all"] == 0 || took["literals"] == 0 || rate["literals"] == 0 {
		return nil, fmt.Errorf("package scan has no BenchmarkLayers with literals and all")
	}
	worst, name := 0.0, ""
	for _, r := range hostile {
		if v, _ := r.Value("sec/op"); v > worst {
			_, sub := r.Name.Parts()
			worst, name = v, strings.TrimPrefix(string(sub[0]), "/")
		}
	}
	return []line{
		{What: "21 KB of ordinary text, processor time", Peer: "one pass that finds the same literals", Unit: inSeconds, Ours: took["all"], Theirs: took["literals"], Goal: 1.3},
		{What: "the worst line of 1 MiB that we could make: " + name, Peer: "one such pass over 1 MiB, by its rate", Unit: inSeconds, Ours: worst, Theirs: 1 << 20 / rate["literals"]},
	}, nil
}
