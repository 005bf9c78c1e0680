package exchange

import (
	"sync"
	"time"
)

// alivePeriod is how often a person is told that a step of a pull goes on.
const alivePeriod = 10 * time.Second

// alive says regularly that something goes on, until the returned function is called. Git shows no
// progress that could be passed on: what a remote writes there is hostile text.
func alive(say func(format string, args ...any), what string) (end func()) {
	if say == nil {
		return func() {}
	}
	done, tick := make(chan struct{}), time.NewTicker(alivePeriod)
	var wait sync.WaitGroup
	wait.Go(func() {
		defer tick.Stop()
		for since := alivePeriod; ; since += alivePeriod {
			select {
			case <-done:
				return
			case <-tick.C:
				say("still %s, for %s; ctrl-c ends it without a trace", what, since)
			}
		}
	})
	return func() { close(done); wait.Wait() }
}
