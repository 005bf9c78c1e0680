package triallog

import (
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// maxLessonTrials is how many trials of a writer are searched for lessons, the newest.
const maxLessonTrials = 2000

// Lessons returns what this installation and the listed ones learned, the newest of each first. No
// other journal teaches: its texts could bring any capability to the front.
func Lessons(l Log, listed []trial.Writer) (out []trial.Lesson, err error) {
	own, err := l.Own()
	if err != nil {
		return nil, err
	}
	writers := append([]trial.Writer{own}, listed...)
	slices.Sort(writers)
	var problems []error
	for _, w := range slices.Compact(writers) {
		found, err := lessonsOf(l, own, w)
		out, problems = append(out, found...), append(problems, err)
	}
	return out, errors.Join(problems...)
}

func lessonsOf(l Log, own, w trial.Writer) ([]trial.Lesson, error) {
	var out trial.Lessons
	n := 0
	err := visitOf(l, own, w, 0, func(k Kept) bool {
		out.Add(k.Trial)
		n++
		return n < maxLessonTrials
	})
	return out.All, err
}
