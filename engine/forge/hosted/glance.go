package hosted

import (
	"context"
	"sync"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// glance is how those who only look go on where the service does not answer.
type glance struct {
	say  func(error)
	mu   sync.Mutex
	gone bool // it did not answer, and is not asked again
}

// Glancing returns a forge for those who only look; see forge.Glancer.
func (f *Forge) Glancing(say func(error)) forge.Forge {
	out := *f
	out.glance = &glance{say: say}
	return &out
}

// asking says that the service is to be asked.
func (f *Forge) asking() bool {
	if f.host == nil || f.glance == nil {
		return f.host != nil
	}
	f.glance.mu.Lock()
	defer f.glance.mu.Unlock()
	return !f.glance.gone
}

// brief are the calls of somebody who only looks, where it is one.
func (f *Forge) brief(ctx context.Context) context.Context {
	if f.glance == nil {
		return ctx
	}
	return host.Glance(ctx)
}

// goOn says that a failure of the service is to be passed over, after it was told.
func (f *Forge) goOn(ctx context.Context, err error) bool {
	if err == nil || f.glance == nil || ctx.Err() != nil {
		return false
	}
	f.glance.mu.Lock()
	first := !f.glance.gone
	f.glance.gone = true
	f.glance.mu.Unlock()
	if first {
		f.glance.say(err)
	}
	return true
}
