package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/assent-dev/assent/engine/home"
)

// Ledger is the account of one workspace.
type Ledger struct {
	in   home.Store
	file string
}

// New returns the account of a workspace, kept below dir. Nothing is created before
// something is taken.
func New(dir, workspace string) *Ledger {
	return &Ledger{in: home.At(dir), file: "ledger/" + workspace + ".json"}
}

// Caps bound one session.
type Caps struct {
	Executions int     `json:"executions"`
	Cost       float64 `json:"cost"`
}

// Charge is one start of a capability.
type Charge struct {
	Session    string
	Capability string
	// Cost of one use, as the capability declares it; 0 or more.
	Cost float64
	// Count starts in any Per, whatever the session; 0 is without bound.
	Count int
	Per   time.Duration
	// Inner: what is executed already starts it, so that it is no execution of its own.
	Inner bool
}

// Spent is what a session used up.
type Spent struct {
	Executions int     `json:"executions"`
	Cost       float64 `json:"cost"`
}

// Kind says which bound refused.
type Kind string

// The bounds.
const (
	Executions Kind = "executions"
	Cost       Kind = "cost"
	Rate       Kind = "rate"
)

// Refused says that a call does not fit any more. Nothing was taken.
type Refused struct {
	Kind  Kind
	Spent Spent
	Caps  Caps
	// Wait is how long until the rate admits another start.
	Wait time.Duration
}

func (r *Refused) Error() string {
	switch r.Kind {
	case Executions:
		return fmt.Sprintf("the session has made %d executions, and may make %d", r.Spent.Executions, r.Caps.Executions)
	case Cost:
		return fmt.Sprintf("the session has spent %.6g, and this call would take it above %.6g", r.Spent.Cost, r.Caps.Cost)
	}
	return fmt.Sprintf("it was started as often as its rate admits; again in %s", r.Wait.Round(time.Millisecond))
}

// The file's version and bound, and how long a session is kept after its last call.
const (
	version = 1
	maxFile = 64 << 20
	keep    = 30 * 24 * time.Hour
)

// account is the file.
type account struct {
	V        int                    `json:"v"`
	Sessions map[string]*session    `json:"sessions"`
	Starts   map[string][]time.Time `json:"starts"`
}

type session struct {
	Executions int `json:"executions"`
	// Micros is the cost in millionths, rounded up with each charge.
	Micros int64     `json:"micros"`
	Last   time.Time `json:"last"`
}

func (s session) spent() Spent {
	return Spent{Executions: s.Executions, Cost: float64(s.Micros) / 1e6}
}

func micros(cost float64) int64 {
	if !(cost > 0) {
		return 0
	}
	return int64(math.Min(math.Ceil(cost*1e6-1e-6), 1e15))
}

// Take accounts for a call that is about to start, or says with a *Refused that it
// does not fit.
func (l *Ledger) Take(ctx context.Context, c Charge, caps Caps, now time.Time) (Spent, error) {
	var spent Spent
	err := l.change(ctx, now, func(a *account) error {
		if err := a.admits(c, caps, now); err != nil {
			return err
		}
		if c.Count > 0 {
			a.Starts[c.Capability] = append(a.recent(c, now), now)
		}
		s := a.session(c.Session)
		if !c.Inner {
			s.Executions++
		}
		s.Micros += micros(c.Cost)
		s.Last = now
		spent = s.spent()
		return nil
	})
	return spent, err
}

// Fits says what Take would answer at this moment, and takes nothing.
func (l *Ledger) Fits(c Charge, caps Caps, now time.Time) (Spent, error) {
	a, err := l.read()
	if err != nil {
		return Spent{}, err
	}
	return a.session(c.Session).spent(), a.admits(c, caps, now)
}

// Add accounts for a cost that became known after the start.
func (l *Ledger) Add(ctx context.Context, name string, cost float64, now time.Time) (Spent, error) {
	var spent Spent
	err := l.change(ctx, now, func(a *account) error {
		s := a.session(name)
		s.Micros += micros(cost)
		s.Last = now
		spent = s.spent()
		return nil
	})
	return spent, err
}

// Session says what a session used up so far.
func (l *Ledger) Session(name string) (Spent, error) {
	a, err := l.read()
	if err != nil {
		return Spent{}, err
	}
	return a.session(name).spent(), nil
}

func (a *account) session(name string) *session {
	s := a.Sessions[name]
	if s == nil {
		s = &session{}
		a.Sessions[name] = s
	}
	return s
}

// admits says with a *Refused that a call does not fit.
func (a *account) admits(c Charge, caps Caps, now time.Time) error {
	s := a.session(c.Session)
	refused := &Refused{Spent: s.spent(), Caps: caps}
	switch recent := a.recent(c, now); {
	case !c.Inner && s.Executions >= caps.Executions:
		refused.Kind = Executions
	case s.Micros > 0 && s.Micros >= micros(caps.Cost) || s.Micros+micros(c.Cost) > micros(caps.Cost):
		refused.Kind = Cost
	case c.Count > 0 && len(recent) >= c.Count:
		refused.Kind = Rate
		refused.Wait = max(recent[len(recent)-c.Count].Add(c.Per).Sub(now), time.Millisecond)
	default:
		return nil
	}
	return refused
}

// recent are the starts that count for a rate at this moment.
func (a *account) recent(c Charge, now time.Time) []time.Time {
	var out []time.Time
	for _, at := range a.Starts[c.Capability] {
		if age := now.Sub(at); age < c.Per && age > -c.Per {
			out = append(out, at)
		}
	}
	return out
}

// change reads the account, has it changed and writes it, under its lock.
func (l *Ledger) change(ctx context.Context, now time.Time, f func(*account) error) error {
	var refused error
	err := l.in.Change(ctx, l.file, maxFile, func(old []byte) ([]byte, error) {
		a, err := l.parse(old)
		if err != nil {
			return nil, err
		}
		for name, s := range a.Sessions {
			if now.Sub(s.Last) > keep {
				delete(a.Sessions, name)
			}
		}
		if refused = f(a); refused != nil {
			return nil, refused
		}
		data, err := json.Marshal(a)
		return append(data, '\n'), err
	})
	if refused != nil {
		return refused
	}
	if err != nil {
		return fmt.Errorf("record the use of a session: %w", err)
	}
	return nil
}

func (l *Ledger) read() (*account, error) {
	data, err := l.in.Read(l.file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the use of sessions: %w", err)
	}
	return l.parse(data)
}

// parse reads the file; nil means no file.
func (l *Ledger) parse(data []byte) (*account, error) {
	a := &account{V: version, Sessions: map[string]*session{}, Starts: map[string][]time.Time{}}
	if data == nil {
		return a, nil
	}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("reading %s: it is damaged; remove it, and all sessions start over: %w", l.in.Path(l.file), err)
	}
	if a.V != version || a.Sessions == nil || a.Starts == nil {
		return nil, fmt.Errorf("reading %s: it is damaged, or of another version; remove it, and all sessions start over", l.in.Path(l.file))
	}
	return a, nil
}
