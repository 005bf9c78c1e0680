package triallog

import (
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// maxLessonTrials is how many trials of a writer are searched for lessons, the newest.
const maxLessonTrials = 2000

// Lessons returns what this installation and the listed ones learned, the newest of each first, and
// their critiques. No other journal teaches: its texts could bring any capability to the front.
func Lessons(l Log, listed []trial.Writer) (out []trial.Lesson, critics []trial.Trial, err error) {
	own, err := l.Own()
	if err != nil {
		return nil, nil, err
	}
	writers := append([]trial.Writer{own}, listed...)
	slices.Sort(writers)
	var problems []error
	for _, w := range slices.Compact(writers) {
		var found trial.Lessons
		n := 0
		problems = append(problems, visitOf(l, own, w, 0, func(k Kept) bool {
			if found.Add(k.Trial); k.Critic != nil {
				critics = append(critics, k.Trial)
			}
			n++
			return n < maxLessonTrials
		}))
		out = append(out, found.All...)
	}
	return out, critics, errors.Join(problems...)
}
