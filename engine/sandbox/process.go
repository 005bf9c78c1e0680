package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// A Process is a running program. The caller communicates through Stdin and Stdout; standard
// error is kept for the Result.
type Process struct {
	Stdin io.WriteCloser
	// Stdout is redacted. It ends with the process, or when the output limit is exceeded. It
	// can be read to its end after Wait.
	Stdout io.Reader

	job            *job
	began          time.Time
	stop           context.CancelCauseFunc
	allowed        *allowance
	stdout, stderr *output
	done           chan struct{}
	result         Result
	failed         string // reason why the program was not started
}

// job is a command prepared for one process, with its resources.
type job struct {
	cmd *exec.Cmd
	// start starts it.
	start func() error
	// proceed hands the last argument to a program that waits for it.
	proceed func(last string) error
	// started, if not nil, is called after the start.
	started func()
	// kill kills the process and everything that it started, at any time after the start.
	kill func()
	// reap waits until the process and everything that it started have ended. It returns the
	// reason if the program was not even started.
	reap func() (failed string)
	// status decodes exit codes that stand for a signal.
	status func(*os.ProcessState) (exit int, signal string)
	// overMemory, if not nil, reports after the end whether the kernel killed a process because
	// all together used too much memory.
	overMemory func() bool
	// release releases all resources, whether or not the job was started.
	release func()
}

// Causes for ending a process.
var (
	errTimedOut = errors.New("timed out")
	errTooMuch  = errors.New("too much output")
	errStopped  = errors.New("stopped")
)

// drain bounds the wait for output after a process has ended while another process still holds
// the pipe. Everything is dead by then, so it only bounds a hang.
const drain = 2 * time.Second

// launch starts a job. With talk, its streams are for the caller.
func launch(ctx context.Context, spec Spec, j *job, talk bool) (*Process, error) {
	p, watch, err := begin(ctx, spec, j, talk)
	if err == nil {
		go watch(spec.Limits.Wall)
	}
	return p, err
}

// begin starts a job. watch has to be called, with the time that the program has from then on; it
// returns when all has ended.
func begin(ctx context.Context, spec Spec, j *job, talk bool) (_ *Process, watch func(time.Duration), err error) {
	ctx, stop := context.WithCancelCause(ctx)
	p := &Process{job: j, stop: stop, done: make(chan struct{})}
	secrets := redact.New(spec.Secrets)
	p.allowed = &allowance{left: spec.Limits.Output, end: func() { stop(errTooMuch) }}
	p.stdout, p.stderr = newOutput(secrets, p.allowed, spec.Stdout), newOutput(secrets, p.allowed, spec.Stderr)
	j.cmd.Stderr, j.cmd.WaitDelay = p.stderr, drain
	if err = context.Cause(ctx); err == nil {
		err = p.start(spec, secrets, talk)
	}
	if err != nil {
		stop(errStopped)
		j.release()
		return nil, nil, fmt.Errorf("starting %s in the sandbox: %w", spec.Args[0], err)
	}
	return p, func(wall time.Duration) { p.watch(ctx, wall) }, nil
}

// start connects the streams and starts the process.
func (p *Process) start(spec Spec, secrets *redact.Redactor, talk bool) error {
	cmd := p.job.cmd
	if !talk {
		cmd.Stdout = p.stdout
		if len(spec.Stdin) > 0 {
			cmd.Stdin = bytes.NewReader(spec.Stdin)
		}
		return p.run()
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout = to
	p.Stdin, p.Stdout = stdin, redact.NewReader(&limitedReader{from: from, allowed: p.allowed}, secrets)
	err = errors.Join(p.run(), to.Close())
	if err != nil {
		err = errors.Join(err, from.Close())
	}
	return err
}

func (p *Process) run() error {
	p.began = time.Now()
	if err := p.job.start(); err != nil {
		return err
	}
	if p.job.started != nil {
		p.job.started()
	}
	return nil
}

// watch ends the process at its time limit, and stores the result.
func (p *Process) watch(ctx context.Context, wall time.Duration) {
	defer close(p.done)
	defer p.job.release()
	ended := make(chan struct{})
	killed := make(chan struct{})
	ctx, release := context.WithTimeoutCause(ctx, wall, errTimedOut)
	defer release()
	defer p.stop(errStopped)
	go func() {
		defer close(killed)
		select {
		case <-ended:
		case <-ctx.Done():
			p.job.kill()
		}
	}()
	failed := p.job.reap()
	elapsed := time.Since(p.began)
	close(ended)
	<-killed
	cause := context.Cause(ctx)
	_ = p.job.cmd.Wait() // ProcessState has the exit code
	p.result = Result{Stdout: p.stdout.text(), Stderr: p.stderr.text(), Elapsed: elapsed}
	p.result.Truncated = p.allowed.exceeded()
	p.result.Ended = p.ended(cause)
	if p.job.overMemory != nil && p.result.Ended != Cancelled && p.job.overMemory() {
		p.result.Ended = TooMuchMemory // also if a surviving process waited for the killed one
	}
	if failed != "" && p.result.Ended == Exited {
		p.result.Ended, p.failed = NotRun, strings.TrimSpace(failed+"\n"+string(p.result.Stderr))
	}
	if state := p.job.cmd.ProcessState; state != nil && p.result.Ended == Exited {
		p.result.Exit, p.result.Signal = p.job.status(state)
		if p.result.Signal != "" {
			p.result.Ended = Killed
		}
	}
}

// ended returns how the process ended.
func (p *Process) ended(cause error) Ended {
	switch {
	case p.allowed.exceeded():
		return TooMuchOutput
	case errors.Is(cause, errTimedOut):
		return TimedOut
	case cause != nil:
		return Cancelled
	}
	return Exited
}

// Wait waits until the process and everything that it started have ended.
func (p *Process) Wait() Result {
	<-p.done
	return p.result
}

// Failure waits, too. It returns the reason if the program was NotRun.
func (p *Process) Failure() error {
	<-p.done
	if p.failed == "" {
		return nil
	}
	return errors.New("the program could not be started in the sandbox: " + p.failed)
}

// Ended reports whether the process and everything that it started have ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Kill ends the process and everything that it started. Wait returns when that is done.
func (p *Process) Kill() { p.stop(errStopped) }
