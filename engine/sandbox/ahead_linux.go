//go:build amd64 || arm64

package sandbox

import (
	"context"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Bounds of the sandboxes that wait: how many of one Box, how long each, and the bytes of the files
// of each.
const (
	maxAhead   = 4
	waitAhead  = 5 * time.Minute
	bytesAhead = 4 << 20
)

// ahead are the sandboxes that were prepared in advance.
type ahead struct {
	mu   sync.Mutex
	kept bool
	held []*held // the oldest first
}

// held is a sandbox for one program that does not run yet: its stage waits for the last argument.
type held struct {
	spec *Spec // see template
	idle *time.Timer
	// ready is closed when all below is set. process is nil if nothing could be prepared.
	ready   chan struct{}
	process *Process
	stdin   io.WriteCloser
	watch   func(time.Duration)
}

// Keep has Run prepare a sandbox after each program, for another one with the same Spec except for the
// last argument, the input and the time. It serves one program only. It ends when none came for some
// minutes, and with Close.
func (b *Box) Keep() {
	b.ahead.mu.Lock()
	b.ahead.kept = true
	b.ahead.mu.Unlock()
}

// Close ends the sandboxes that wait, and prepares no others.
func (b *Box) Close() {
	b.ahead.mu.Lock()
	b.ahead.kept = false
	b.ahead.mu.Unlock()
	b.ahead.empty()
}

// empty ends the sandboxes that wait.
func (a *ahead) empty() {
	a.mu.Lock()
	all := a.held
	a.held = nil
	a.mu.Unlock()
	for _, h := range all {
		h.end()
	}
}

// retire ends a sandbox that waited for too long.
func (a *ahead) retire(h *held) {
	a.mu.Lock()
	i := slices.Index(a.held, h)
	if i >= 0 {
		a.held = append(a.held[:i:i], a.held[i+1:]...)
	}
	a.mu.Unlock()
	if i >= 0 {
		h.end()
	}
}

// template returns a checked Spec without what a sandbox that waits receives at last, or nil if none is to wait:
// also for output that goes to one call only.
func (a *ahead) template(s *Spec) *Spec {
	a.mu.Lock()
	kept, size := a.kept, 0
	a.mu.Unlock()
	for _, f := range s.Files {
		size += len(f.Data)
	}
	if !kept || len(s.Args) < 2 || size > bytesAhead || s.Stdout != nil || s.Stderr != nil {
		return nil
	}
	out := *s
	out.Args = slices.Clone(s.Args)
	out.Args[len(s.Args)-1] = ""
	out.Stdin, out.Limits.Wall = nil, 0
	return &out
}

// take returns the sandbox for a Spec, which waits no longer, or nil.
func (a *ahead) take(template *Spec) *held {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, h := range a.held {
		if reflect.DeepEqual(h.spec, template) {
			h.idle.Stop()
			a.held = append(a.held[:i:i], a.held[i+1:]...)
			return h
		}
	}
	return nil
}

// proceed runs a program in a sandbox that waits for it. The result is NotRun if there is none.
func (b *Box) proceed(ctx context.Context, spec, template *Spec) (r Result) {
	h := b.ahead.take(template)
	if h == nil {
		return r
	}
	<-h.ready
	if h.process == nil {
		return r
	}
	stop := context.AfterFunc(ctx, h.process.Kill)
	h.process.began = time.Now()
	if h.process.job.proceed(spec.Args[len(spec.Args)-1]) != nil { // it has ended while it waited: no fault of the program
		h.process.Kill()
		h.watch(time.Minute)
		if stop(); ctx.Err() == nil {
			return r
		}
		return h.process.result
	}
	go h.input(spec.Stdin)
	h.watch(spec.Limits.Wall)
	stop()
	if r = h.process.result; h.process.failed != "" {
		r.Ended = NotRun
	}
	return r
}

func (h *held) input(data []byte) {
	_, _ = h.stdin.Write(data) // a program may end before it has read all
	_ = h.stdin.Close()
}

// prepare begins to prepare a sandbox.
func (b *Box) prepare(template *Spec) {
	a := &b.ahead
	again := a.take(template) // another run may have prepared one
	if again == nil {
		again = &held{spec: template, ready: make(chan struct{})}
		go b.hold(again)
	}
	a.mu.Lock()
	again.idle = time.AfterFunc(waitAhead, func() { a.retire(again) })
	a.held = append(a.held, again)
	excess := !a.kept || len(a.held) > maxAhead
	var first *held
	if excess {
		first, a.held = a.held[0], a.held[1:]
	}
	a.mu.Unlock()
	if excess {
		first.end()
	}
}

// hold starts the sandbox. Without one, the next program gets its own, and says why there is none.
func (b *Box) hold(h *held) {
	defer close(h.ready)
	spec, j, err := b.job(context.Background(), *h.spec, true)
	if err != nil {
		return
	}
	if h.stdin, err = j.cmd.StdinPipe(); err != nil {
		j.release()
		return
	}
	h.process, h.watch, _ = begin(context.Background(), spec, j, false)
}

// end ends a sandbox whose program does not run.
func (h *held) end() {
	h.idle.Stop()
	<-h.ready
	if h.process != nil {
		h.process.Kill()
		h.watch(time.Minute)
	}
}
