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
	Mended  Status = "mended" // repaired just now
)

// Finding is the result of one check or repair.
type Finding struct {
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Message string `json:"message"`
	// Fix says what a person can do; it may be empty.
	Fix string `json:"fix"`
	// Mend says what Mend would do; empty if a human must decide.
	Mend string `json:"mend"`
	mend func(context.Context) error
}

// examination is one run of the checks, with the findings so far.
type examination struct {
	Surroundings
	ctx   context.Context //nolint:containedctx // of one run, which this value is
	w     *workspace.Workspace
	cur   workspace.Session
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

// broke reports a check that could not run.
func (e *examination) broke(check string, err error) { e.fail(check, e.Hint(err), "%v", err) }

// by adds a repair: its description, and the function that does it.
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
