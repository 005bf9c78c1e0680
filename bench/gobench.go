package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"

	"golang.org/x/perf/benchfmt"
)

// goBench runs benchmarks that stand beside the tests of a package of engine/.
func goBench(ctx context.Context, pkg, pattern, benchtime string) ([]*benchfmt.Result, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", benchtime, "github.com/assent-dev/assent/engine/"+pkg)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	results, err := parseBench(out)
	if err == nil && len(results) == 0 {
		err = fmt.Errorf("no results in %s", out)
	}
	return results, err
}

func parseBench(out []byte) ([]*benchfmt.Result, error) {
	var all []*benchfmt.Result
	reader := benchfmt.NewReader(bytes.NewReader(out), "go test")
	for reader.Scan() {
		if r, ok := reader.Result().(*benchfmt.Result); ok {
			all = append(all, r.Clone())
		}
	}
	return all, reader.Err()
}
