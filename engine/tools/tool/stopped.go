package tool

import (
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/stop"
)

// halted refuses a capability that a human stopped. Every call checks it, direct, by a composed
// tool, or as an implementation.
func (t track) halted(name string) error {
	if t.stopped == nil {
		return nil
	}
	held, stopped, err := t.stopped(names.Fold(name))
	if err != nil {
		return err
	}
	//defence:stops-are-looked-up
	if stopped {
		return refuse(Stopped, hintOf(name, held), "%s", held.Refusal(name))
	}
	return nil
}

func hintOf(name string, h stop.Held) string {
	if h.Proposal != "" {
		return "assent show " + names.ShellWord(h.Proposal) + "; a human lifts the stop with: assent stop --lift " + names.ShellWord(name) + ` --reason "WHY"`
	}
	return "a human lifts the stop with: assent stop --lift " + names.ShellWord(name) + ` --reason "WHY"`
}
