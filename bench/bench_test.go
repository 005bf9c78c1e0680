package main

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
)

// TestMain lets the test measure programs as the program does: by starting itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == measure.Stage {
		os.Exit(measure.Staged(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	var ids []string
	for _, r := range rows() {
		if r.title == "" || r.run == nil || slices.Contains(ids, r.id) {
			t.Errorf("row %q: twice, or without a title", r.id)
		}
		ids = append(ids, r.id)
	}
	two, err := chosen("4, 1")
	if err != nil || len(two) != 2 || two[0].id != "4" || two[1].id != "1" {
		t.Errorf("rows 4 and 1 are %v, %v", two, err)
	}
	if _, err := chosen("1,none"); err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("an unknown row gave %v", err)
	}
}

func TestMet(t *testing.T) {
	for _, tc := range []struct {
		line line
		want string
	}{
		{line{Ours: 3, Theirs: 2}, ""},
		{line{Ours: 3, Theirs: 2, Goal: 1.5}, "yes"},
		{line{Ours: 4, Theirs: 2, Goal: 1.5}, "no"},
		{line{Ours: 4, Theirs: 0, Goal: 1.5}, "no"},
		{line{Ours: 999, Most: 1000}, "yes"},
		{line{Ours: 1001, Theirs: 1_000_000, Most: 1000}, "no"},
		{line{Ours: 1030, Theirs: 1000, Above: 30}, "yes"},
		{line{Ours: 1031, Theirs: 1000, Above: 30}, "no"},
	} {
		if got := tc.line.met(); got != tc.want {
			t.Errorf("%+v is met: %q, want %q", tc.line, got, tc.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, tc := range []struct {
		unit unit
		v    float64
		want string
	}{
		{inSeconds, 12.345, "12.35 s"},
		{inSeconds, 0.1234, "123 ms"},
		{inSeconds, 0.01234, "12.3 ms"},
		{inSeconds, 0.0000023, "2.30 µs"},
		{inBytes, 3.4e8, "340 MB"},
		{inBytes, 2.5e9, "2.5 GB"},
		{inRefs, 100_002, "100 002"},
		{inRefs, 12, "12"},
	} {
		if got := tc.unit.format(tc.v); got != tc.want {
			t.Errorf("%v %s is written %q, want %q", tc.v, tc.unit, got, tc.want)
		}
	}
}

func TestText(t *testing.T) {
	r := report{Command: "go run ./bench", Results: []result{{Row: "1", Title: "something", Lines: []line{{What: "it", Peer: "that", Unit: inSeconds, Ours: 1, Theirs: 4, Goal: 0.5}}}}}
	for _, want := range []string{"go run ./bench -row 1`", "| it | 1.00 s | that | 4.00 s | 0.25 | ≤ 0.50 | yes |\n"} {
		if strings.Count(r.text(), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, r.text())
		}
	}
}

// A row that fails is said where its figures would be, and in the exit code.
func TestFailedRow(t *testing.T) {
	b := &bench{log: io.Discard}
	r := report{Results: b.all(t.Context(), []row{
		{"a", "breaks", func(context.Context, *bench) ([]line, error) { return nil, errors.New("no\ndisk") }},
		{"b", "works", func(context.Context, *bench) ([]line, error) { return []line{{What: "it"}}, nil }},
	})}
	if text := r.text(); !strings.Contains(text, "could not be measured: no disk |") || !strings.Contains(text, "| it |") {
		t.Error(text)
	}
	if err := r.failed(); err == nil || !strings.HasSuffix(err.Error(), "row a") {
		t.Errorf("the run ended with %v", err)
	}
	if err := (report{Results: r.Results[1:]}).failed(); err != nil {
		t.Error(err)
	}
}

// The rows that run whole commands can be measured: each command works in the scene made for it.
func TestRowsOfCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	for _, name := range []string{"ASSENT_HOME", "ASSENT_KEY", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"} {
		t.Setenv(name, "") // put back afterwards: the bench sets them
	}
	small := sizesOf(options{largest: 100, closed: 10, quick: true})
	b, leave, err := begin(t.Context(), kept.Store{Dir: t.TempDir(), Log: io.Discard}, small, true, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	rows, err := chosen("18,refs,past")
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range b.all(t.Context(), rows) {
		if res.Failed != "" || len(res.Lines) == 0 {
			t.Errorf("row %s: %d lines; %s", res.Row, len(res.Lines), res.Failed)
		}
	}
}

// What go test prints is read by the names that the benchmarks have.
func TestGoBenchmarks(t *testing.T) {
	parse := func(text string) []line {
		t.Helper()
		results, err := parseBench([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pushLines(results)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	got := parse("goos: linux\nBenchmarkPush/disk-1000-2 \t 20 \t 114.0 assent-ms \t 158.0 git-ms \t 0.72 ratio\nPASS\n")
	if len(got) != 1 || got[0].Ours != 0.114 || got[0].Theirs != 0.158 || got[0].What != "disk, 1000 capabilities" {
		t.Errorf("read as %+v", got)
	}
	texts, err := parseBench([]byte("BenchmarkLayers/literals-2 10 1100 ns/op 2.00 MB/s 1000 cpu-ns/op\nBenchmarkLayers/all-2 10 9000 ns/op 1.0 MB/s 3000 cpu-ns/op\n"))
	if err != nil {
		t.Fatal(err)
	}
	hostile, err := parseBench([]byte("BenchmarkHostile/a-2 1 10 ns/op\nBenchmarkHostile/b-2 1 2000000000 ns/op\n"))
	if err != nil {
		t.Fatal(err)
	}
	scanned, err := scanLines(texts, hostile)
	if err != nil || len(scanned) != 2 || math.Abs(scanned[0].ratio()-3) > 1e-9 || scanned[1].Ours != 2 || scanned[1].Theirs != 0.524288 || !strings.HasSuffix(scanned[1].What, ": b") {
		t.Errorf("read as %+v, %v", scanned, err)
	}
}
