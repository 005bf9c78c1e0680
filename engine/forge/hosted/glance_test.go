package hosted_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// refusing is a service that refuses every request and counts them.
type refusing struct {
	host.Host
	asked     int
	impatient bool
}

func (r *refusing) Impatient() host.Host {
	r.impatient = true
	return r
}

var errRefused = errors.New("the token is not valid")

func (r *refusing) Find(_ context.Context, _, _ string) (host.Request, error) {
	r.asked++
	return host.Request{}, errRefused
}

func (r *refusing) List(_ context.Context, _ string, _ bool) ([]host.Request, error) {
	r.asked++
	return nil, errRefused
}

// TestGlancing: a caller that only displays gets the record, and the reason once. A
// change is refused.
func TestGlancing(t *testing.T) {
	w := newWorld(t)
	p := w.opened(w.forge(w.clone, "kublai"), "glanced-00000001")
	inner := w.as("kublai")
	service := &refusing{Host: inner}
	w.as = func(string) host.Host { return service }
	f := w.forge(w.clone, "kublai")
	if _, err := f.Get(t.Context(), p.ID); !errors.Is(err, errRefused) || service.impatient {
		t.Errorf("a deciding caller gets %v, impatient %v", err, service.impatient)
	}
	service.asked = 0
	told := []error{}
	g := f.Glancing(func(err error) { told = append(told, err) })
	got, err := g.Get(t.Context(), p.ID)
	list, lerr := g.List(t.Context(), forge.Filter{State: forge.Open})
	_, aerr := g.Activity(t.Context(), p.ID)
	queued, qerr := g.Queued(t.Context(), p.ID)
	if err := errors.Join(err, lerr, aerr, qerr); err != nil || got.Head != p.Head || len(list) != 1 || queued {
		t.Errorf("%v, %+v, %d, %v", err, got, len(list), queued)
	}
	if len(told) != 1 || service.asked != 1 || !service.impatient {
		t.Errorf("reported %v, asked %d times, impatient %v", told, service.asked, service.impatient)
	}
}

// TestClosedThere: a pull request closed on the service reads as withdrawn before any
// command records it, unless it was reopened here afterwards.
func TestClosedThere(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "closed-00000001")
	must(t, w.as("jochi").SetOpen(t.Context(), p.Number, false))
	got, err := f.Get(t.Context(), p.ID)
	must(t, err)
	list, err := f.List(t.Context(), forge.Filter{State: forge.Open})
	must(t, err)
	if got.State != forge.Closed || got.Why != "withdrawn" || len(list) != 1 || list[0].State != forge.Closed {
		t.Errorf("%+v, %+v", got, list)
	}
	if queued, err := f.Queued(t.Context(), p.ID); err != nil || queued {
		t.Errorf("%v, %v", queued, err)
	}
}
