package gaps

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Gap is a capability that an agent lacks.
type Gap struct {
	Type capability.Kind `json:"type"`
	// Name has the form of a capability's name.
	Name string `json:"name"`
	// Purpose says what is lacking. Trigger says when a skill applies, APIHint names the interface that a
	// server or tool would use, and Specialization is an agent's; each is empty for the other types, and where unknown.
	Purpose        string `json:"purpose"`
	Trigger        string `json:"trigger,omitempty"`
	APIHint        string `json:"api_hint,omitempty"`
	Specialization string `json:"specialization,omitempty"`
	// Times counts how often the gap was heard, Failures the failed calls among that.
	Times    int `json:"times"`
	Failures int `json:"failures,omitempty"`
	// Evidence has the first places.
	Evidence []Evidence `json:"evidence"`
}

// By names the detector that heard a gap.
type By string

// The detectors.
const (
	ByWords    By = "words"
	ByFailures By = "failures"
	ByPattern  By = "pattern"
	ByPlan     By = "plan"
	ByReport   By = "report"
)

// Evidence is a place where a gap was heard.
type Evidence struct {
	By By `json:"by"`
	// Line is the line of the transcript, from 1.
	Line int `json:"line"`
	// Words are the agent's sentence, or the failed call with its error.
	Words string `json:"words"`
}

const (
	// maxText bounds a text of a gap, in characters, maxName its name, in bytes.
	maxText = 200
	// maxLooked is how much of a text is looked at, in characters, before secrets are removed.
	maxLooked = 4000
	maxName   = 40
	// maxEvidence is how many places are kept, maxGaps how many gaps.
	maxEvidence = 5
	maxGaps     = 100
)

// Planned returns the gap of a capability that a plan names in a line, and that is not in force. A text without a
// name in it gets one by names.Suggest.
func Planned(called, purpose string, line int) Gap {
	called = trial.Unsecret(called)
	name := names.Fold(called)
	if !names.IsName(name) {
		name = cmp.Or(slug(called, 4), names.Suggest(called))
	}
	return Gap{
		Type: capability.KindTool, Name: name, Purpose: plain(purpose), Times: 1,
		Evidence: []Evidence{{ByPlan, line, plain(called)}},
	}
}

// plain returns a text on one line, without secrets and characters that are not seen, and bounded.
func plain(s string) string {
	return visible(trial.Unsecret(visible(trial.Unescaped(s), maxLooked)), maxText)
}

func visible(s string, most int) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case !unicode.IsPrint(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			n, space = n+1, false
		}
		if n++; n >= most {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// slug makes a capability's name from the first meaningful words of a text, and "" from a text without any. Single
// letters have no meaning, except names such as R, and a word that begins another thought ends the name.
func slug(text string, most int) string {
	var parts []string
	size := 0
	for _, said := range strings.FieldsFunc(strings.ReplaceAll(text, trial.Secret, " "), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '\'' && r != '’'
	}) {
		word := strings.ReplaceAll(strings.ToLower(said), "’", "'")
		contracted := hasEnding(word, "'m", "'d", "'ll", "'re", "'ve", "n't")
		word = strings.ReplaceAll(strings.TrimSuffix(word, "'s"), "'", "")
		switch {
		case len(parts) > 0 && (contracted || ends()[word]): // such as "I'm"
			return strings.Join(parts, "-")
		case word == "", contracted, filler()[word], ends()[word], len(word) == 1 && word == said:
			continue
		}
		if len(parts) == 0 && (word[0] < 'a' || word[0] > 'z') { // a name begins with a letter
			continue
		}
		if size += len(word) + 1; len(parts) == most || size > maxName {
			break
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, "-")
}

// covers reports whether each word of one of two names is in the other, whatever their endings.
func covers(a, b string) bool { return index.HasName(a, b) || index.HasName(b, a) }
