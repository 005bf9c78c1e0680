package mission

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/registry/gaps"
)

// heartbeat is the interval at which the run time is saved.
const heartbeat = 5 * time.Second

func (s Store) running(id string) string { return id + "/running" }

// startHeartbeat saves that the command has started, and its run time until stop is called.
func (s Store) startHeartbeat(of State, now time.Time) (stop func(), err error) {
	start := time.Now()
	note := func(write func(name string, data []byte) error) error {
		data, err := json.Marshal(Step{At: now, Kind: Lost, MS: time.Since(start).Milliseconds()})
		if err != nil {
			return fmt.Errorf("note a run: %w", err)
		}
		return write(s.running(of.ID), data)
	}
	if err := note(s.Files.Write); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-ended:
				_ = note(s.Files.Write) // the run itself is recorded next, unless this process ends before
				return
			case <-time.After(heartbeat):
				_ = note(s.Files.Cache)
			}
		}
	})
	return func() { close(ended); beating.Wait() }, nil
}

// interruptedRun returns a run that began after the newest step and has no result, with the usage in its output; nil
// for none.
func (s Store) interruptedRun(of State) *Step {
	last := of.last()
	if last.Kind == Ended {
		return nil
	}
	data, err := s.Files.Read(s.running(of.ID), maxJournal)
	var lost Step
	if err != nil || json.Unmarshal(data, &lost) != nil || lost.Kind != Lost || !lost.At.After(last.At) {
		return nil
	}
	if out, err := os.Open(s.Files.Path(fmt.Sprintf("%s/%d.out", of.ID, of.Spent().Rounds+1))); err == nil {
		defer out.Close()
		said, _ := transcript.Read(out, func(gaps.Event) {}) // what is no transcript says nothing
		lost.Tokens, lost.Cost = said.Tokens, said.Cost
	}
	return &lost
}

// ready are the capabilities for which the command runs next, empty if it did not lack any before.
func (s State) ready() []string {
	for i := len(s.Steps) - 1; s.Steps[i].Kind == Lost || s.Steps[i].Kind == Ready; i-- {
		if s.Steps[i].Kind == Ready {
			return s.Steps[i].Ready
		}
	}
	return nil
}
