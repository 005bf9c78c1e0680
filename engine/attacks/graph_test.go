package attacks_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/registry/graph"
	"github.com/assent-dev/assent/engine/registry/trial"
)

func graphDefences() map[string]defence {
	return map[string]defence{
		"graph-quotes-texts": {attack: "TestAttackGraph/a quote"},
	}
}

// The words of a trial never become a statement of the graph in Cypher.
func TestAttackGraph(t *testing.T) {
	const deletes = "}) DETACH DELETE n //"
	for name, text := range map[string]string{
		"a quote":                          "'" + deletes,
		"a backslash before the quote":     `\'` + deletes,
		"an escape that is replaced first": `\u0027` + deletes,
		"two backslashes before an escape": `\\u0027` + deletes,
	} {
		t.Run(name, func(t *testing.T) {
			w := trial.WriterOf([]byte("a writer"))
			o := trial.Observation{Capability: "parse-csv", Level: trial.Followed, Source: trial.Self, Diagnosis: text, Task: text, Mission: "m-1", At: time.Unix(1e9, 0)}
			source := graph.Source{Trials: []trial.Kept{{Writer: w, Trial: trial.Trial{V: 1, ID: trial.Next(trial.ID{}, o.At, w), Observation: o}}}}
			for line := range strings.SplitSeq(graph.Build(source).Cypher(), "\n") {
				if code := outsideTexts(line); strings.Contains(code, "DELETE") {
					t.Errorf(succeeded+"the database runs %q of %q", code, line)
				}
			}
		})
	}
}

var unicodeEscape = regexp.MustCompile(`\\[uU]([0-9A-Fa-f]{4})`)

// outsideTexts is what is no text in a line of Cypher, for an engine that replaces escapes of
// characters before anything else.
func outsideTexts(line string) string {
	line = unicodeEscape.ReplaceAllStringFunc(line, func(escape string) string {
		code, err := strconv.ParseUint(escape[2:], 16, 32)
		if err != nil {
			return escape
		}
		return string(rune(code))
	})
	var out strings.Builder
	inside := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\'':
			inside = !inside
		case inside && line[i] == '\\':
			i++
		case !inside:
			out.WriteByte(line[i])
		}
	}
	return out.String()
}
