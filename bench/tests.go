package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	interpreter "github.com/assent-dev/assent/engine/sandbox/runtime"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// echo is a tool that does hardly more than its interpreter's start.
const echo = `import json, sys
print(json.dumps({"text": json.loads(sys.argv[1])["text"]}))
`

// tested runs a suite beside the same processes bare, as many at a time.
func tested(ctx context.Context, b *bench) ([]line, error) {
	cases := 100
	if b.quick {
		cases = 4
	}
	python, err := exec.CommandContext(ctx, "python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		fmt.Fprintln(b.log, "no python3, so there is no row for tests")
		return nil, nil //nolint:nilerr // it was said
	}
	box, err := sandbox.New(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := prove.Plan([]prove.Target{{View: echoing(cases), Path: "skills/echo"}}, "smoke")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.temp, "echo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("lay down the tool: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.py"), []byte(echo), 0o600); err != nil {
		return nil, fmt.Errorf("lay down the tool: %w", err)
	}
	workers := runtime.GOMAXPROCS(0)
	admitting := policy.Policies{Autonomy: policy.Autonomy{Executables: []string{string(capability.KindTool)}}}
	ours := func() error {
		options := prove.Options{Runner: box, Policies: admitting, Now: time.Now, Workers: workers}
		proofs, err := options.Run(ctx, plan)
		if err == nil && (!proofs[0].Held() || proofs[0].Report.Passed != cases) {
			err = fmt.Errorf("the suite: %s", proofs[0].Report.Summary())
		}
		return err
	}
	rt, _ := interpreter.Named(string(capability.Python))
	bare := func() error {
		pool, within := errgroup.WithContext(ctx)
		pool.SetLimit(workers)
		for i := range cases {
			pool.Go(func() error {
				cmd := exec.CommandContext(within, string(bytes.TrimSpace(python)), rt.Args("main.py", inputOf(i))[1:]...)
				cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8"} // as inside
				out, err := cmd.Output()
				if err == nil && !json.Valid(out) {
					err = fmt.Errorf("it wrote %q", out)
				}
				return err
			})
		}
		return pool.Wait() //nolint:wrapcheck // the row says which it was
	}
	took, err := b.long.Medians(ctx, measure.Seconds(ours), measure.Seconds(bare))
	if err != nil {
		return nil, err
	}
	return []line{{What: fmt.Sprintf("%d cases of a tool in Python, %d at a time", cases, workers), Peer: "the same processes, bare, as many at a time",
		Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1.3}}, nil
}

func inputOf(i int) string { return fmt.Sprintf(`{"text":"case %d"}`, i) }

// inMemory is a tree without a repository.
type inMemory struct {
	*tree.Map
	capability.Namer
}

// echoing is a tree with a tool of so many cases.
func echoing(cases int) inMemory {
	var suite strings.Builder
	suite.WriteString("cases:\n")
	for i := range cases {
		fmt.Fprintf(&suite, "  - {name: case %d, input: %s, expect: {equals: %s}, tags: [smoke]}\n", i, inputOf(i), inputOf(i))
	}
	m := tree.MapOf(map[string]string{
		"skills/echo/SKILL.md":        "---\nname: echo\ndescription: Says what it was told. Use it to see how long that takes.\n---\n# Echo\n",
		"skills/echo/capability.yaml": "kind: tool\nversion: 1.0.0\nrun: {runtime: python, entry: scripts/main.py, timeout: 30s, memory: 256MiB}\ninput: {type: object}\n",
		"skills/echo/tests.yaml":      suite.String(),
		"skills/echo/scripts/main.py": echo,
	})
	return inMemory{m, capability.NamerOf(m)}
}
