//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Unprotected runs programs as this user, with this user's files and network. It enforces no
// restriction of a Spec except time and output limits. It kills leftover processes of the
// program's process group, and redacts secrets from output. Files are in a temporary folder, in
// which the program starts; HOME and TMPDIR name the writable folder. It is only for a policy
// that names `sandbox: none`.
type Unprotected struct{ programs programs }

// NewUnprotected returns a runner that isolates nothing.
func NewUnprotected() (*Unprotected, error) { return &Unprotected{}, nil }

// Protects implements Runner.
func (*Unprotected) Protects() bool { return false }

// Run implements Runner.
func (u *Unprotected) Run(ctx context.Context, spec Spec) (Result, error) {
	p, err := u.launch(ctx, spec, false)
	if err != nil {
		return Result{}, err
	}
	return p.Wait(), p.Failure()
}

// Start implements Runner.
func (u *Unprotected) Start(ctx context.Context, spec Spec) (*Process, error) {
	return u.launch(ctx, spec, true)
}

func (u *Unprotected) launch(ctx context.Context, spec Spec, talk bool) (*Process, error) {
	spec, err := spec.check()
	if err != nil {
		return nil, err
	}
	if spec.Folder != "" {
		return nil, &SpecError{Reason: "Folder needs a sandbox"}
	}
	file, from := spec.Args[0], ""
	if !strings.Contains(file, "/") {
		found, err := u.programs.find(ctx, file)
		if err != nil {
			return nil, err
		}
		file, from = found.path, filepath.Dir(found.path)
	}
	top, err := os.MkdirTemp("", "assent-run-"+strconv.Itoa(os.Getpid())+"-") // base/tempdir removes it if this process is killed
	if err != nil {
		return nil, fmt.Errorf("making a folder for %s: %w", file, err)
	}
	release := func() { _ = os.RemoveAll(top) } // nothing valuable is in it
	code, scratch := filepath.Join(top, "code"), filepath.Join(top, "scratch")
	if err := layDown(spec.Files, code, scratch); err != nil {
		release()
		return nil, fmt.Errorf("laying down files for %s: %w", file, err)
	}
	if rest, ok := strings.CutPrefix(file, Code+"/"); ok {
		file = filepath.Join(code, rest)
	}
	cmd := &exec.Cmd{Path: file, Args: spec.Args, Dir: code, Env: spec.environ(from, scratch, "")}
	if spec.Dir == Scratch {
		cmd.Dir = scratch
		if !filepath.IsAbs(file) {
			cmd.Path = filepath.Join(code, file)
		}
	}
	return launch(ctx, spec, grouped(cmd, release), talk)
}

func layDown(files map[string]File, code, scratch string) error {
	for _, dir := range []string{code, scratch} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	for name, f := range files {
		to := filepath.Join(code, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		mode := os.FileMode(0o400)
		if f.Executable {
			mode = 0o500
		}
		if err := os.WriteFile(to, f.Data, mode); err != nil {
			return err
		}
	}
	return nil
}
