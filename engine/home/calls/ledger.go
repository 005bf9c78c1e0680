package calls

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

// Ledger is the account of one workspace: executions and cost by session, starts by capability.
type Ledger struct {
	in   home.Store
	file string
}

// NewLedger returns the account of a workspace, kept below dir. The first charge creates the
// file.
func NewLedger(dir, workspace string) *Ledger {
	return &Ledger{in: home.At(dir), file: "ledger/" + workspace + ".json"}
}

// Caps bound one session.
type Caps struct {
	Executions int     `json:"executions"`
	Cost       float64 `json:"cost"`
}

// Charge describes one start of a capability.
type Charge struct {
	Session    string
	Capability string
	// Cost of one use, as the capability declares it; 0 or more.
	Cost float64
	// Count is the number of starts allowed within Per, over all sessions; 0 is unlimited.
	Count int
	Per   time.Duration
	// Inner marks a start by a capability that is already executing. It costs, but is not
	// counted as an execution.
	Inner bool
}

// Spent is the use of one session so far.
type Spent struct {
	Executions int     `json:"executions"`
	Cost       float64 `json:"cost"`
}

// Kind names the bound that refused a charge.
type Kind string

// The bounds.
const (
	Executions Kind = "executions"
	Cost       Kind = "cost"
	Rate       Kind = "rate"
)

// Refused is the error of a call that exceeds a bound. Nothing was charged.
type Refused struct {
	Kind  Kind
	Spent Spent
	Caps  Caps
	// Wait is the time until the rate admits another start, for Rate.
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

// Version and size bound of the file, and how long a session is kept after its last call.
const (
	ledgerVersion = 1
	maxLedgerFile = 64 << 20
	keepSession   = 30 * 24 * time.Hour
)

// account is the content of the file.
type account struct {
	V        int                    `json:"v"`
	Sessions map[string]*session    `json:"sessions"`
	Starts   map[string][]time.Time `json:"starts"`
}

type session struct {
	Executions int `json:"executions"`
	// Micros is the cost in millionths; each charge is rounded up.
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

// Take charges a call that is about to start. It returns a *Refused if the call exceeds a
// bound.
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

// Fits returns what Take would return now, and charges nothing.
func (l *Ledger) Fits(c Charge, caps Caps, now time.Time) (Spent, error) {
	a, err := l.read()
	if err != nil {
		return Spent{}, err
	}
	return a.session(c.Session).spent(), a.admits(c, caps, now)
}

// Add charges a cost that became known after the start. No bound applies.
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

// Session returns the use of a session so far.
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

// admits returns a *Refused if a call exceeds a bound.
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

// recent returns the starts of a capability that are within its rate's period.
func (a *account) recent(c Charge, now time.Time) []time.Time {
	var out []time.Time
	for _, at := range a.Starts[c.Capability] {
		if age := now.Sub(at); age < c.Per && age > -c.Per {
			out = append(out, at)
		}
	}
	return out
}

// change reads, changes and writes the account under its lock. It drops old sessions. If f
// refuses, nothing is written.
func (l *Ledger) change(ctx context.Context, now time.Time, f func(*account) error) error {
	var refused error
	err := l.in.Change(ctx, l.file, maxLedgerFile, func(old []byte) ([]byte, error) {
		a, err := l.parse(old)
		if err != nil {
			return nil, err
		}
		for name, s := range a.Sessions {
			if now.Sub(s.Last) > keepSession {
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
	data, err := l.in.Read(l.file, maxLedgerFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the use of sessions: %w", err)
	}
	return l.parse(data)
}

// parse decodes the file; nil data means that there is no file.
func (l *Ledger) parse(data []byte) (*account, error) {
	a := &account{V: ledgerVersion, Sessions: map[string]*session{}, Starts: map[string][]time.Time{}}
	if data == nil {
		return a, nil
	}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("reading %s: it is damaged; remove it, and all sessions start over: %w", l.in.Path(l.file), err)
	}
	if a.V != ledgerVersion || a.Sessions == nil || a.Starts == nil {
		return nil, fmt.Errorf("reading %s: it is damaged, or of another version; remove it, and all sessions start over", l.in.Path(l.file))
	}
	return a, nil
}
