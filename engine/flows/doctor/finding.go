package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/workspace"
)

// Status is the outcome of one check.
type Status string

// The outcomes.
const (
	Healthy Status = "ok"
	Warns   Status = "warn"
	Fails   Status = "fail"
	Mended  Status = "mended" // something was done just now
)

// Finding is one thing that was looked at, or done.
type Finding struct {
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Message string `json:"message"`
	// Fix says what a person can do; empty when there is nothing.
	Fix string `json:"fix"`
	// Mend says what Mend would do about it; empty when that is a person's to decide.
	Mend string `json:"mend"`
	mend func(context.Context) error
}

// examination is one look at everything: what is known so far, and what was found.
type examination struct {
	Surroundings
	ctx   context.Context //nolint:containedctx // of one run, which this value is
	w     *workspace.Workspace
	cur   workspace.Current
	found []Finding
}

func (e *examination) add(check string, s Status, fix, format string, args ...any) *Finding {
	e.found = append(e.found, Finding{Check: check, Status: s, Message: fmt.Sprintf(format, args...), Fix: fix})
	return &e.found[len(e.found)-1]
}

func (e *examination) ok(check, format string, args ...any) {
	e.add(check, Healthy, "", format, args...)
}

func (e *examination) warn(check, fix, format string, args ...any) *Finding {
	return e.add(check, Warns, fix, format, args...)
}

func (e *examination) fail(check, fix, format string, args ...any) *Finding {
	return e.add(check, Fails, fix, format, args...)
}

// broke records a check that could not be made.
func (e *examination) broke(check string, err error) { e.fail(check, e.Hint(err), "%v", err) }

// by says how a finding can be mended: what will be done, in words, and how.
func (f *Finding) by(mend func(context.Context) error, format string, args ...any) {
	f.Mend, f.mend = fmt.Sprintf(format, args...), mend
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
