package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/mcpclient"
)

// serve starts a server, calls one method and ends it.
func (m machine) serve(ctx context.Context, j job) (ran, error) {
	return m.converse(ctx, j, func(ctx context.Context, s *mcpclient.Session) (ran, error) {
		methods, err := s.Methods(ctx, j.capability.Methods != nil)
		if err != nil {
			return ran{}, err
		}
		method, err := agreed(methods, j)
		if err != nil {
			return ran{}, err
		}
		if !m.permits.trial { // a test checks whether the server itself refuses
			given, err := decode(j.input)
			if err != nil {
				return ran{}, err
			}
			if err := fits(method.Input, given, InvalidInput, "the input", j.capability.Name+"__"+method.Name); err != nil {
				return ran{}, listed(err, j.capability.Name)
			}
		}
		answer, err := s.Call(ctx, method.Name, j.input)
		out := suite.Outcome{Ended: suite.Answered, Value: answer.Value}
		if answer.Failed {
			out = suite.Outcome{Ended: suite.Failed, Message: answer.Text, Refuses: answer.Refused}
		}
		return ran{Outcome: out, cost: answer.Cost, refused: answer.Refused}, err
	})
}

// listed adds where to find the schemas of a server's methods: in its own list.
func listed(err error, server string) error {
	if r := (*refusal)(nil); errors.As(err, &r) {
		r.hint = "assent run-tool " + names.ShellWord(server) + " --methods --json shows the schemas that the server lists"
	}
	return err
}

func methodNamed(methods []capability.Method, j job) (capability.Method, error) {
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return names.Fold(a) == names.Fold(b) },
	} {
		if i := slices.IndexFunc(methods, func(m capability.Method) bool { return same(m.Name, j.method) }); i >= 0 {
			return methods[i], nil
		}
	}
	return capability.Method{}, refuse(NotFound, "assent run-tool "+names.ShellWord(j.capability.Name)+" --methods lists them",
		"the server %s has no method %q", j.capability.Name, j.method)
}

// Methods lists the methods of a server that were merged with it. If none were, or the call is Live, it starts the
// server and lists what that says, which counts as an execution. The input of the call is not looked at.
func (e *Engine) Methods(ctx context.Context, call Call) ([]capability.Method, Result, error) {
	var methods []capability.Method
	began := e.Now()
	j, err := e.prepareMethods(call)
	c := j.capability
	res := Result{Tool: c.Name, Version: c.Version}
	if err == nil && !call.Live {
		if c.Methods != nil {
			res.Success = true
			return c.Methods, res, nil
		}
		err = e.permits().reviewed(c)
	}
	if err == nil {
		err = e.account().charge(ctx, j, &res)
	}
	if err == nil {
		var out ran
		out, err = e.machine().converse(ctx, j, func(ctx context.Context, s *mcpclient.Session) (ran, error) {
			methods, err = s.Methods(ctx, false)
			return ran{Outcome: suite.Outcome{Ended: suite.Answered}}, err
		})
		if err = unavailable(c.Name, err); err == nil {
			if err = ended(ctx, out); err != nil {
				err = j.explained(err, out)
			}
		}
	}
	res.MS = max(e.Now().Sub(began), 0).Milliseconds()
	var r *refusal
	if errors.As(err, &r) {
		res.Error, res.Type, res.Hint, res.Faults = r.text, r.kind, r.hint, r.faults
		return nil, res, res.redacted(j.secrets)
	}
	if err == nil {
		err = redactedMethods(methods, j.secrets)
	}
	res.Success = err == nil
	return methods, res, err
}

// prepareMethods does all that can be done before a server is started for its methods.
func (e *Engine) prepareMethods(call Call) (job, error) {
	c, _, err := e.catalogue().find(call.Name)
	j := job{capability: c}
	if err != nil {
		return j, err
	}
	if err := e.permits().mayRun(c); err != nil {
		return j, err
	}
	if c.Kind != capability.KindMCP {
		return j, refuse(NotCallable, "assent run-tool "+names.ShellWord(c.Name)+" --input JSON calls it", "%s is of kind %s, and only a server has methods", c.Name, c.Kind)
	}
	j.timeout = e.permits().limitOf(c, call.Timeout)
	if err := e.track().held(&j); err != nil || c.Methods != nil && !call.Live {
		return j, err
	}
	err = e.provide(&j)
	return j, err
}

// converse talks to a server. Without m.warm, which keeps it running, it starts the server and ends it with
// all that it started.
func (m machine) converse(ctx context.Context, j job, talk func(context.Context, *mcpclient.Session) (ran, error)) (ran, error) {
	within, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	key, err := m.content(j)
	if err != nil {
		return ran{}, err
	}
	s := &served{}
	kept := m.warm.take(within, j.capability.Name, key)
	if kept != nil {
		s = &kept.served
		defer m.warm.leave(j.capability.Name, kept)
	}
	if s.p == nil {
		if *s, err = m.start(ctx, j, kept != nil); err != nil {
			return ran{}, err
		}
	}
	far, _ := s.p.(*remote)
	out, err := s.dialogue(within, talk)
	var r *refusal
	done := err == nil || errors.As(err, &r)
	if kept != nil && done && within.Err() == nil {
		return out, err
	}
	died := outcome(s.end(!done && within.Err() == nil))
	out.printed = printed(died.Stderr)
	switch {
	case done:
		return out, err
	case within.Err() != nil || died.Ended == suite.TimedOut:
		step, _, _ := strings.Cut(fmt.Sprint(err), ": ") // the request to mcpclient
		out.Outcome = suite.Outcome{Ended: suite.TimedOut, Message: "it had to " + step}
	case far != nil && far.failure() != nil:
		return out, far.failure()
	case died.Ended == suite.OverOutput || died.Ended == suite.OverMemory:
		out.Outcome = died
	default: // it ended before it answered, or does not speak the protocol
		out.Outcome = suite.Outcome{Ended: suite.Crashed, Message: broken(err), Stderr: died.Stderr}
		out.hint = "a server writes nothing but messages of the protocol to standard output, and stays until its input ends"
	}
	return out, nil
}

// content identifies what a server is started with.
func (m machine) content(j job) (string, error) {
	if m.warm == nil {
		return "", nil
	}
	at, err := m.catalogue.view.Lookup(j.capability.Path)
	if err != nil {
		return "", fmt.Errorf("look up %s: %w", j.capability.Path, err)
	}
	return fmt.Sprint(at.Hash, j.secrets, j.hosts), nil
}

// start starts a server for one call or, if it is to be kept, for many.
func (m machine) start(ctx context.Context, j job, kept bool) (served, error) {
	if j.capability.Record.Run.Runtime == capability.MCPHTTP {
		return m.remote(ctx, j)
	}
	runner, err := m.runner(ctx)
	if err != nil {
		return served{}, err
	}
	spec, err := m.server(j)
	if err != nil {
		return served{}, err
	}
	if kept {
		ctx, spec.Limits = context.WithoutCancel(ctx), warmLimits(spec.Limits)
	}
	p, err := runner.Start(ctx, spec)
	if err != nil {
		return served{}, err
	}
	return served{p: p, from: p.Stdout, to: p.Stdin}, nil
}

// broken says why a conversation broke off.
func broken(err error) string {
	switch syntax := (*json.SyntaxError)(nil); {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the server ended before it answered"
	case errors.As(err, &syntax):
		return fmt.Sprintf("the server's answer is not a JSON-RPC message: %v", err)
	}
	return err.Error()
}

// lastWords is how long a server that broke a conversation off may take to say why.
const lastWords = 3 * time.Second

// end ends the server with all that it started. One that broke off is about to end by itself, and says why.
// The end of the session waits for what is being written, so the server, which may read nothing, is ended first.
func (s *served) end(broke bool) sandbox.Result {
	p, to, session := s.p, s.to, s.session
	*s = served{}
	if broke {
		_ = to.Close() // the client may have done so
		defer time.AfterFunc(lastWords, p.Kill).Stop()
	} else {
		p.Kill()
	}
	if session != nil {
		_ = session.Close() // its further output does not matter
	}
	return p.Wait()
}

// dialogue begins the conversation, if it has not begun, and talks. The server is ended when the time is over: it
// may read nothing, and what is written to it then would wait for longer.
func (s *served) dialogue(ctx context.Context, talk func(context.Context, *mcpclient.Session) (ran, error)) (_ ran, err error) {
	defer context.AfterFunc(ctx, s.p.Kill)()
	if s.session == nil {
		version := ""
		if _, far := s.p.(*remote); far {
			version = remoteProtocol
		}
		s.session, err = mcpclient.Open(context.WithoutCancel(ctx), s.from, s.to, version)
		if err != nil {
			return ran{}, err
		}
	}
	return talk(ctx, s.session)
}
