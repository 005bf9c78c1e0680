package triallog

import (
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/git/gitstore"
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
	if w == "" {
		return nil, nil
	}
	tip, err := l.head(w)
	if err != nil {
		return nil, err
	}
	var refs []gitstore.Ref
	if !tip.IsZero() {
		refs = append(refs, gitstore.Ref{Name: Ref(w), Hash: tip})
	}
	var out trial.Lessons
	n := 0
	if w != own {
		own = "" // its trials that wait teach elsewhere
	}
	problems, err := visitIn(l, own, refs, 0, func(k Kept) bool {
		if k.Writer == w {
			out.Add(k.Trial)
			n++
		}
		return n < maxLessonTrials
	})
	return out.All, errors.Join(err, errors.Join(problems...))
}
