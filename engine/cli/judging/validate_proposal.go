package judging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/proposals/render"
	"github.com/assent-dev/assent/engine/proposals/simulate"
	"github.com/assent-dev/assent/engine/workspace"
)

// validationJSON is a validation of a proposal or branch, and the notes that go with it.
type validationJSON struct {
	// ID of the proposal; empty for a branch without one.
	ID string `json:"id"`
	// Report is as validate --base prints it; Digest is that of its bytes.
	Report json.RawMessage `json:"report"`
	Digest string          `json:"digest"`
	// Simulation is the effect of its policies; null if it changes none that load.
	Simulation *simulate.Result `json:"simulation"`
	// Opinions are the second opinions about it.
	Opinions []output.Opinion `json:"opinions"`
	// Tests are the known test outcomes for exactly this content, null if there are none.
	Tests *policy.Tests `json:"tests"`
}

// runValidateNamed validates a proposal, or a branch without one, against the content in force.
func runValidateNamed(ctx context.Context, c *console.Console, o validateOptions, arg string) error {
	if o.base != "" || o.claimed != "" || o.head != defaultHead {
		return console.Usage("give either a proposal's id or branch, or --base with --head and --claimed")
	}
	observe := c.Consulted
	if o.opinion {
		observe = c.Joined
	}
	cur, err := observe(ctx)
	if err != nil {
		return err
	}
	ex, err := examinedNamed(ctx, cur, arg)
	if err == nil && o.opinion {
		ex, err = consult(ctx, cur, ex, arg)
	}
	if err != nil {
		return err
	}
	facts := ex.Case.Facts()
	out := validationJSON{ID: ex.Case.Pull.ID, Opinions: output.OpinionsOf(facts), Tests: facts.Tests}
	if found, is, err := simulate.Of(ctx, cur, ex); err != nil {
		return err
	} else if is {
		out.Simulation = &found
	}
	return printValidation(c, o.format, ex, out)
}

// consult asks for a second opinion, also where one was given before: it adds to that.
func consult(ctx context.Context, cur workspace.Session, ex workspace.Examined, arg string) (workspace.Examined, error) {
	pull := ex.Case.Pull
	if pull.ID == "" {
		return ex, console.Usage("%s is no proposal yet: an opinion is recorded with one; assent scan --opinion asks about files", arg)
	}
	if pull.State != forge.Open || ex.Case.Conflicted {
		return ex, console.Refused("", "%s is not open, or does not apply to main: no opinion is requested", pull.ID)
	}
	config, is, err := console.WhoIsAsked(advice.OpinionFile)
	switch {
	case err != nil:
		return ex, console.Usage("%v", err)
	case !is:
		return ex, console.Usage("no reviewer is configured: write %s in your own folder (docs/gate.md)", advice.OpinionFile)
	case !config.For(cur.ID()):
		return ex, console.Usage("%s is not for this workspace, %s", advice.OpinionFile, cur.ID())
	}
	return propose.Consult(ctx, cur, ex)
}

// examinedNamed examines the proposal that arg means; else the commit that it names.
func examinedNamed(ctx context.Context, cur workspace.Session, arg string) (workspace.Examined, error) {
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	if err == nil {
		ex, err := cur.Examine(ctx, pull.ID)
		if len(ex.Result.Conflicts) > 0 && pull.State == forge.Open {
			ex.Report = conflicted(cur, pull.Head, ex.Result)
		}
		return ex, err
	}
	if !errors.Is(err, forge.ErrNotFound) {
		return workspace.Examined{}, err
	}
	head, rerr := cur.Repo.Resolve(arg)
	if errors.Is(rerr, gitstore.ErrAmbiguous) {
		return workspace.Examined{}, rerr
	}
	if rerr != nil {
		return workspace.Examined{}, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%q is neither a proposal nor a branch here", arg), Hint: "assent status lists the proposals"}
	}
	var ex workspace.Examined
	if ex.Result, err = cur.Result(cur.Main, head); err != nil {
		return ex, err
	}
	ex.Report, err = validation(ctx, cur.Workspace, cur.Main, head)
	ex.Case.Conflicted = len(ex.Result.Conflicts) > 0
	return ex, err
}

// printValidation writes a validation in one form; the exit code says whether something is
// wrong.
func printValidation(c *console.Console, format string, ex workspace.Examined, out validationJSON) error {
	if c.JSON {
		format = render.FormatJSON
	}
	if format == render.FormatJSON {
		data, err := ex.Report.Canonical()
		if err != nil {
			return err
		}
		out.Report, out.Digest = data, canonical.Digest(data)
		if err := c.Emit(out); err != nil {
			return err
		}
		if !ex.Report.Passed {
			return console.Quiet(console.ExitFindings)
		}
		return nil
	}
	err := printReport(c, format, ex.Report)
	var verdict *console.Failure
	if err != nil && (!errors.As(err, &verdict) || verdict.Code != console.ExitFindings) {
		return err
	}
	for _, part := range out.beside() {
		if _, err := c.World.Out.Write(render.Beside(format, part.title, part.lines)); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return err
}

// aside is a note that goes with a report.
type aside struct {
	title string
	lines []string
}

func (v validationJSON) beside() []aside {
	var out []aside
	for _, o := range v.Opinions {
		said, found := o.Text()
		out = append(out, aside{"a second opinion: " + said, found})
	}
	if texts := output.TestsText(v.Tests); len(texts) > 0 {
		part := aside{title: "tests"}
		for i, text := range texts {
			part.lines = append(part.lines, text)
			if i < len(v.Tests.Trials) {
				part.lines = append(part.lines, slices.Concat(v.Tests.Trials[i].Against, v.Tests.Trials[i].Failing)...)
			}
		}
		out = append(out, part)
	}
	if s := v.Simulation; s != nil {
		part := aside{title: "with these policies " + s.Summary()}
		for _, d := range s.Differences {
			phrase, reason := d.Change()
			part.lines = append(part.lines, d.ID+": "+phrase+": "+reason)
		}
		for _, d := range s.Skipped {
			part.lines = append(part.lines, d.ID+": not judged again: "+d.Why)
		}
		out = append(out, part)
	}
	return out
}
