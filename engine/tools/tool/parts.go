package tool

import (
	"context"
	"time"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// catalogue reads capabilities in force.
type catalogue struct{ view View }

// permits decides what a caller may run, with which secrets.
type permits struct {
	policies   policy.Policies
	agent      string
	trial      bool // runs tests: no caller is checked
	secret     func(name string) (value string, ok bool, err error)
	secretHint func(name string) string
}

// account charges a session.
type account struct {
	ledger   *calls.Ledger
	session  string
	policies policy.Policies
	now      func() time.Time
	free     bool // tests cost nothing
}

// track reads and writes the track record of capabilities on this machine.
type track struct {
	permits permits
	store   *triallog.Health // nil keeps none
	view    View
	stopped func(name string) (stop.Held, bool, error)
	turned  func(Turned)
}

// ways finds the implementations of a specification.
type ways struct {
	catalogue catalogue
	permits   permits
	track     track
	context   []string
}

// machine runs programs and servers.
type machine struct {
	catalogue catalogue
	permits   permits
	runner    func(ctx context.Context) (sandbox.Runner, error)
	packages  string
	warm      *Warm // nil: servers are started for each call
}

func (e *Engine) catalogue() catalogue { return catalogue{e.View} }

func (e *Engine) permits() permits {
	return permits{e.Policies, e.Agent, e.uncounted, e.Secret, e.SecretHint}
}

func (e *Engine) account() account {
	return account{e.Ledger, e.Session, e.Policies, e.Now, e.uncounted}
}

func (e *Engine) track() track {
	return track{e.permits(), e.Health, e.View, e.Stopped, e.Turned}
}

func (e *Engine) ways() ways {
	return ways{e.catalogue(), e.permits(), e.track(), e.Context}
}

func (e *Engine) machine() machine {
	m := machine{e.catalogue(), e.permits(), e.Runner, e.Packages, e.Warm}
	if e.uncounted { // what a test finds must not depend on the one before
		m.warm = nil
	}
	return m
}
