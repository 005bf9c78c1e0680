package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Usage is what a process took.
type Usage struct {
	// Seconds from before it was started until it ended.
	Seconds float64 `json:"seconds"`
	// Processor is how long processors worked for it, in seconds: on a busy machine, what
	// it costs.
	Processor float64 `json:"processor"`
	// Memory is the most that was resident at once, in bytes, with the files that
	// are mapped; 0 where the system does not tell.
	Memory int64 `json:"memory"`
	// Output is what it wrote to standard output.
	Output []byte `json:"output"`
}

// Stage is the argument that makes a program call Staged and nothing else.
const Stage = "measure-a-process"

// Run starts a program and waits for it. Linux counts the memory of the process that
// starts another as that of the other, so that a small one in between starts it:
// this program itself, with the argument Stage.
func Run(ctx context.Context, dir string, args ...string) (Usage, error) {
	var u Usage
	self, err := os.Executable()
	if err != nil {
		return u, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{Stage}, args...)...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return u, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return u, json.Unmarshal(out.Bytes(), &u)
}

// Staged is the process in between: it runs args and writes their Usage. The
// exit code is that of the program, whose standard error is handed on.
func Staged(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	begin := time.Now()
	err := cmd.Run()
	u := Usage{Seconds: time.Since(begin).Seconds(), Output: out.Bytes()}
	if cmd.ProcessState != nil {
		u.Memory = peak(cmd.ProcessState)
		u.Processor = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(u)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out.Bytes(), err)
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}
