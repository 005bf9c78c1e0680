package proposals

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/workspace"
)

const (
	stepMenu = "[a]pprove, request [c]hanges, [r]eject, [d]iff, [f]indings, [s]kip, [q]uit: "
	stepHelp = "a  sign an approval of exactly what is shown\nc  sign that it needs changes; asks why\nr  sign a rejection; asks why\n" +
		"d  show the difference\nf  show all findings and the verdict\ns  go on without a decision\nq  end\n"
)

// stepper goes through proposals with a person at a terminal.
type stepper struct {
	c   *console.Console
	cur workspace.Session
	o   reviewOptions
	by  *reviewer // once a key is needed
}

// errQuit ends the steps.
var errQuit = errors.New("quit")

func runReviewStep(ctx context.Context, c *console.Console, o reviewOptions) error {
	if !c.World.Interactive || c.JSON {
		return console.Usage("-i asks on a terminal, in words; elsewhere: assent status --mine, and assent review ID approve")
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	ids, err := stepsOf(ctx, c, cur, o.ids)
	if err != nil {
		return err
	}
	s := stepper{c: c, cur: cur, o: o}
	defer s.close()
	for i, id := range ids {
		if i > 0 {
			c.Printf("\n")
		}
		if err := s.step(ctx, id, fmt.Sprintf("(%d of %d) ", i+1, len(ids))); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		c.Printf("nothing waits for your review\n")
	}
	return nil
}

// stepsOf are the proposals that are named, or those that wait for a review of the caller.
func stepsOf(ctx context.Context, c *console.Console, cur workspace.Session, named []string) ([]string, error) {
	var ids []string
	if len(named) > 0 {
		pulls, err := resolveAll(ctx, cur, named)
		for _, p := range pulls {
			ids = append(ids, p.ID)
		}
		return ids, err
	}
	me, err := console.Me(c, cur)
	if err != nil {
		return nil, err
	}
	turns, damaged, err := turnsOf(ctx, cur, forge.Filter{State: forge.Open}, me)
	_ = output.PrintDamaged(c, damaged) // the others can be decided all the same
	for _, t := range turns {
		if t.decide {
			ids = append(ids, t.ID)
		}
	}
	return ids, err
}

// step shows one proposal and asks until the person has decided or goes on.
func (s *stepper) step(ctx context.Context, id, place string) error {
	screen, err := screenOf(ctx, s.cur, id)
	if err != nil {
		return err
	}
	screen.print(s.c, false)
	for {
		answer, err := s.ask(place + stepMenu)
		if err != nil {
			return err
		}
		var d review.Decision
		switch answer {
		case "a", "approve":
			d = review.Approve
		case "c", "changes", "request-changes":
			d = review.RequestChanges
		case "r", "reject":
			d = review.Reject
		case "d", "diff":
			output.PrintFiles(s.c, screen.diffs, false)
			continue
		case "f", "findings":
			screen.printAll(s.c)
			continue
		case "s", "skip":
			return nil
		case "q", "quit":
			return errQuit
		default:
			s.c.Printf("%s", stepHelp)
			continue
		}
		if signed, err := s.decide(ctx, screen, d); signed || err != nil {
			return err
		}
	}
}

// decide signs a decision on what the screen showed. What is refused is shown, and the person
// is asked again.
func (s *stepper) decide(ctx context.Context, screen reviewJSON, d review.Decision) (signed bool, err error) {
	reason := ""
	if d.NeedsReason() {
		if reason, err = s.ask("why (empty: decide something else): "); err != nil || reason == "" {
			return false, err
		}
	}
	out, err := s.sign(ctx, approve.Decision{Proposal: screen.ID, Head: screen.Head, Decision: d, Reason: reason})
	if err != nil && console.Classify(err).Code != console.ExitWorld {
		console.Show(s.c, err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.by.print(out, d)
	return true, nil
}

// sign loads the key for the first decision.
func (s *stepper) sign(ctx context.Context, d approve.Decision) (out reviewedJSON, err error) {
	if _, err := decisionOf(reviewOptions{decision: string(d.Decision), reason: d.Reason}); err != nil {
		return out, err
	}
	if s.by == nil {
		signer, err := console.OwnSigner(s.c, s.cur, s.o.key)
		if err != nil {
			return out, err
		}
		s.by = &reviewer{s.c, s.cur, signer, s.o.dryRun}
	}
	return s.by.decide(ctx, d)
}

// ask reads one line. The end of the input means to quit.
func (s *stepper) ask(question string) (string, error) {
	answer, err := console.Ask(s.c, question)
	if errors.Is(err, io.EOF) {
		err = errQuit
	}
	return answer, err
}

func (s *stepper) close() {
	if s.by != nil {
		_ = s.by.signer.Close()
	}
}
