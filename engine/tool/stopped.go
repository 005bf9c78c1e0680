package tool

import (
	"time"

	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/stop"
)

// halted refuses a capability that a human stopped. It is asked at each call, for what is
// called directly, by a composed tool, or instead of a specification.
func (e *Engine) halted(name string) error {
	if e.Stopped == nil {
		return nil
	}
	held, stopped, err := e.Stopped(names.Fold(name))
	if err != nil {
		return err
	}
	//defence:stops-are-looked-up
	if stopped {
		return refuse(Stopped, hintOf(name, held), "%s", Refusal(name, held))
	}
	return nil
}

// Refusal says who stopped a capability, until when and why.
func Refusal(name string, h stop.Held) string {
	until := "until " + h.Until.UTC().Format(time.RFC3339)
	if h.Proposal != "" {
		until = "until the proposal " + h.Proposal + " about it is decided"
	}
	return name + " is stopped by " + h.By + " " + until + ": " + h.Reason
}

func hintOf(name string, h stop.Held) string {
	if h.Proposal != "" {
		return "assent show " + h.Proposal + "; a human lifts the stop with: assent stop --lift " + name
	}
	return "a human lifts the stop with: assent stop --lift " + name
}
