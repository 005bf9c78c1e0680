package inforce

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// refusedLine is a line of standard input that was not recorded.
type refusedLine struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// reported is a line of standard input.
type reported struct {
	At            time.Time     `json:"at"`
	Level         trial.Level   `json:"level"`
	Agent         string        `json:"agent"`
	Model         string        `json:"model"`
	Mission       string        `json:"mission"`
	Task          string        `json:"task"`
	Tags          []string      `json:"tags"`
	Capability    string        `json:"capability"`
	Method        string        `json:"method"`
	Outcome       trial.Outcome `json:"outcome"`
	MS            int64         `json:"ms"`
	Cost          float64       `json:"cost"`
	Tokens        int64         `json:"tokens"`
	Error         string        `json:"error"`
	Diagnosis     string        `json:"diagnosis"`
	InputSummary  string        `json:"input_summary"`
	OutputSummary string        `json:"output_summary"`
}

// maxLine is the longest line of standard input: texts are cut when they are recorded.
const maxLine = 1 << 20

// stream records the lines of standard input in batches. A verdict is about what was recorded before its line.
type stream struct {
	observer
	*console.Console
	recordedJSON
	uses     []trial.Observation
	verdicts []numbered
	// tried are the uses and verdicts of a dry run.
	tried []trial.Trial
}

// numbered is a verdict on a mission, with its line.
type numbered struct {
	line int
	trial.Observation
}

func runTrialStream(ctx context.Context, c *console.Console, o trialRecordOptions) error {
	b, err := newObserver(ctx, c, o.agent)
	if err != nil {
		return err
	}
	s := stream{observer: b, Console: c, recordedJSON: recordedJSON{DryRun: o.dryRun, Refused: []refusedLine{}}}
	from := console.Open(ctx, c, "-")
	defer from.Close()
	in := linesOf(ctx, from)
	for n := 1; ; n++ {
		var line inputLine
		var more bool
		select {
		case line, more = <-in:
		default: // the batch is not full, but no line waits
			if err := s.flush(ctx); err != nil {
				return err
			}
			line, more = <-in
		}
		if !more {
			break
		}
		if line.err != nil {
			err := errors.Join(s.flush(ctx), line.err)
			if errors.Is(err, bufio.ErrTooLong) {
				return console.Usage("standard input, line %d: it has more than %d bytes; those before it are recorded", n, maxLine)
			}
			return fmt.Errorf("read standard input, line %d: %w", n, err)
		}
		if err := s.take(ctx, n, line.text); err != nil {
			return err
		}
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	if !o.dryRun {
		if err := b.log.Commit(ctx); err != nil {
			return err
		}
	}
	return s.finish()
}

// take parses a line, and records the batch if it is full.
func (s *stream) take(ctx context.Context, n int, line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	o, err := s.parse(line)
	if err != nil {
		s.refuse(n, err)
		return nil
	}
	judged := func(v numbered) bool { return v.Mission == o.Mission }
	if len(s.uses)+len(s.verdicts) == triallog.MaxBatch || slices.ContainsFunc(s.verdicts, judged) {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	if o.Level == trial.Verdict {
		s.verdicts = append(s.verdicts, numbered{n, o})
	} else {
		s.uses = append(s.uses, o)
	}
	return nil
}

func (s *stream) refuse(n int, err error) {
	s.Refused = append(s.Refused, refusedLine{n, console.OneLine(err.Error())})
	for i := len(s.Refused) - 1; i > 0 && s.Refused[i-1].Line > n; i-- { // a verdict is refused after later lines
		s.Refused[i-1], s.Refused[i] = s.Refused[i], s.Refused[i-1]
	}
	s.Complain("%s line %d: %s", s.Style.Warn("not recorded:"), n, console.OneLine(err.Error()))
}

// flush records the uses that wait, and then the verdicts.
func (s *stream) flush(ctx context.Context) error {
	uses, verdicts := s.uses, s.verdicts
	s.uses, s.verdicts = nil, nil
	if err := s.write(ctx, uses); err != nil || len(verdicts) == 0 {
		return err
	}
	all, err := triallog.Missions(s.log, trial.DayOf(s.cur.Now().AddDate(0, 0, -triallog.MissionDays)), "", s.tried...)
	if err != nil {
		return err
	}
	missions := map[string]trial.Mission{}
	for _, m := range all {
		missions[m.ID] = m
	}
	var out []trial.Observation
	for _, v := range verdicts {
		m := missions[v.Mission]
		m.ID = v.Mission
		judged, err := s.judge(m, v.Observation)
		if err != nil {
			s.refuse(v.line, err)
		}
		out = append(out, judged...)
	}
	return s.write(ctx, out)
}

// write records observations and prints their ids.
func (s *stream) write(ctx context.Context, all []trial.Observation) error {
	s.Recorded += len(all)
	if s.DryRun {
		for _, o := range all {
			s.tried = append(s.tried, trial.Trial{ID: trial.Next(trial.ID{}, s.cur.Now(), ""), Observation: o})
		}
		return nil
	}
	recorded, err := s.log.Record(ctx, all...)
	if err == nil && !s.JSON {
		for _, t := range recorded {
			s.Printf("%s\n", t.ID)
		}
	}
	return err
}

func (s *stream) finish() error {
	if s.JSON {
		if err := s.Emit(s.recordedJSON); err != nil {
			return err
		}
	} else if s.DryRun {
		s.Printf("would record %s\n", console.Plural(s.Recorded, "trial"))
	}
	if len(s.Refused) > 0 {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

func (b observer) parse(line []byte) (trial.Observation, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	var s reported
	if err := dec.Decode(&s); err != nil {
		return trial.Observation{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return trial.Observation{}, errors.New("more than one JSON value")
	}
	o := trial.Observation{
		At: s.At, Level: cmp.Or(s.Level, trial.Followed), Agent: s.Agent, Model: s.Model, Mission: s.Mission, Task: s.Task, Tags: s.Tags, Method: s.Method, Outcome: s.Outcome,
		MS: s.MS, Cost: s.Cost, Tokens: s.Tokens, Error: s.Error, Diagnosis: s.Diagnosis, InputSummary: s.InputSummary, OutputSummary: s.OutputSummary,
	}
	if s.Capability != "" {
		return b.complete(o, s.Capability)
	}
	switch {
	case s.Mission == "" || s.Outcome == trial.Open:
		return o, errors.New("name a capability, or a mission and an outcome for the verdict on that mission")
	case s.Level != "" || s.Model+s.Method != "" || len(s.Tags) > 0 || s.MS != 0 || s.Cost != 0 || s.Tokens != 0:
		return o, errors.New("a verdict has no level, model, method, tags, ms, cost or tokens: it keeps those of the uses. For a use, name the capability")
	}
	o.Level = trial.Verdict
	return o, nil
}

type inputLine struct {
	text []byte
	err  error
}

// linesOf reads ahead, so that waiting lines can be kept in one batch.
func linesOf(ctx context.Context, from io.Reader) <-chan inputLine {
	out := make(chan inputLine, triallog.MaxBatch)
	go func() {
		defer close(out)
		scanner := bufio.NewScanner(from)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case out <- inputLine{text: bytes.Clone(scanner.Bytes())}:
			case <-ctx.Done():
				return
			}
		}
		if err := scanner.Err(); err != nil {
			out <- inputLine{err: err}
		}
	}()
	return out
}
