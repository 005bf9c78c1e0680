package sandbox_test

import (
	"errors"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox"
)

// isolating returns a Box, or skips the test if the machine cannot isolate.
func isolating(t *testing.T) *sandbox.Box {
	t.Helper()
	b, err := sandbox.New(t.Context())
	if refused := (*sandbox.Refusal)(nil); errors.As(err, &refused) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRuntimes(t *testing.T) {
	plain, err := sandbox.NewUnprotected()
	if err != nil {
		t.Fatal(err)
	}
	for name, box := range map[string]sandbox.Runner{"box": isolating(t), "unprotected": plain} {
		for _, tc := range []struct {
			args []string
			file string
		}{
			{[]string{"python3", "deep/er/main", "a"}, "import sys, ssl, os, shutil\nprint('got', sys.argv[1], sys.stdin.read(), os.environ['PLAIN'], os.environ['KEY'], shutil.which('python3') is not None)"},
			{[]string{"bash", "deep/er/main", "a"}, `echo got $1 $(cat) $PLAIN $KEY True`},
			{[]string{"node", "deep/er/main", "a"}, `console.log("got", process.argv[2], require("fs").readFileSync(0, "utf8"), process.env.PLAIN, process.env.KEY, "True")`},
		} {
			t.Run(name+"/"+tc.args[0], func(t *testing.T) {
				r, err := box.Run(t.Context(), sandbox.Spec{
					Args: tc.args, Stdin: []byte("b"), Env: map[string]string{"PLAIN": "c"}, Secrets: map[string]string{"KEY": "hunter22"},
					Files: map[string]sandbox.File{"deep/er/main": {Data: []byte(tc.file)}},
				})
				if missing := (*sandbox.Missing)(nil); errors.As(err, &missing) {
					t.Skip(err)
				}
				const want = "got a b c [redacted:KEY] True\n"
				if err != nil || !r.OK() || string(r.Stdout) != want {
					t.Fatalf("%v, exit %d, said %q, %s: %v; want %q", r.Ended, r.Exit, r.Stdout, r.Stderr, err, want)
				}
			})
		}
	}
}

// TestStageInside: the stage that prepares a program is neither readable nor writable for it.
func TestStageInside(t *testing.T) {
	r, err := isolating(t).Run(t.Context(), sandbox.Spec{
		Args: []string{"bash", "-c", `exec 2>/dev/null; [ -f /.assent-stage ] && echo there; cat /.assent-stage || echo closed; chmod 755 /.assent-stage || echo fixed`},
		Env:  map[string]string{"KEY": "in the environment"},
	})
	if err != nil || string(r.Stdout) != "there\nclosed\nfixed\n" {
		t.Errorf("it said %q, %v", r.Stdout, err)
	}
}
