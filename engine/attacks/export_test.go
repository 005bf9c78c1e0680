package attacks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/registry/archive"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func exportDefences() map[string]defence {
	return map[string]defence{
		"archives-hold-plain-paths":    {attack: "TestAttackExport/a path that leaves skills", instead: "return canonical.Line(fileOf(f.edit()))"},
		"foreign-trials-are-strangers": {attack: "TestAttackExport/trials that decide", instead: "if signer, _, err = l.ownKey(); err != nil { return err }"},
	}
}

// An export of a registry by an attacker reaches nothing but skills, and its trials decide nothing.
func TestAttackExport(t *testing.T) {
	t.Run("a path that leaves skills", func(t *testing.T) {
		for _, path := range []string{"skills/../policies/roles.yaml", "policies/roles.yaml", "/etc/passwd", "skills/a/../../.git/hooks/pre-commit", "skills/a/.git/config"} {
			text := archive.Prefix + `"workspace":"1","commit":"1","files":1,"trials":0}` + "\n" + `{"path":"` + path + `","text":"x"}` + "\n"
			if a, err := archive.Read(strings.NewReader(text)); err == nil {
				t.Errorf(succeeded+"%v is read", a.Files)
			}
		}
	})
	t.Run("trials that decide", func(t *testing.T) {
		d := newWorld(t)
		cur, err := d.Session(d.Context())
		d.ok(err)
		var theirs []trial.Kept
		w := trial.WriterOf([]byte("an attacker"))
		var last trial.ID
		for range 40 {
			last = trial.Next(last, d.Now().Add(-time.Hour), w)
			o := trial.Observation{At: d.Now().UTC().Truncate(time.Second), Source: trial.Human, Level: trial.Followed, Capability: "bowline", Version: "1.0.0", Outcome: trial.Failure}
			theirs = append(theirs, trial.Kept{Writer: w, Trial: trial.Trial{V: 1, ID: last, Observation: o}})
		}
		log := triallog.New(d.Repo, cur.ID(), d.Now)
		_, err = triallog.Adopt(d.Context(), log, theirs)
		d.ok(err)
		var r triallog.Reading
		d.ok(log.Refresh(&r))
		if s := r.Book.Observed("bowline", "1.0.0", r.Trust(nil)); s.Tried() > 0 {
			d.succeeds("decisions rest on %v of another workspace", s.Tally)
		}
		if s := r.Book.Of("bowline", "1.0.0", r.Trust(nil)); s.Tried() > 2 {
			d.succeeds("ranks rest on %v of another workspace", s.Tally)
		}
	})
}
