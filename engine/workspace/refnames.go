package workspace

import (
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// RecordPrefix begins the names of all refs with records.
const RecordPrefix = "refs/assent/"

// RefKind is the kind of record that a ref below RecordPrefix holds.
type RefKind string

// The kinds of records. ForeignRef is the kind of every other name.
const (
	ForeignRef RefKind = ""
	PullRef    RefKind = "pull"
	RunRef     RefKind = "run"
	FoldRef    RefKind = "folded pulls"
	EndRef     RefKind = "folded runs"
	StopRef    RefKind = "stop"
	TrialRef   RefKind = "trials"
	// ArtifactsRef keeps files that a script made; it is no journal.
	ArtifactsRef RefKind = "artifacts"
)

// KindOf returns the kind of record that a ref holds, by its name. It is the one rule of which refs
// assent reads, takes from a remote and publishes, so a new kind of record needs a row here.
func KindOf(ref string) RefKind {
	for _, k := range []struct {
		prefix string
		kind   RefKind
		named  func(string) bool
	}{
		{local.PullPrefix, PullRef, forge.IsID},
		{runlog.Prefix, RunRef, runlog.IsID},
		{local.ClosedPrefix, FoldRef, isLine},
		{runlog.EndedPrefix, EndRef, isLine},
		{StopPrefix, StopRef, stop.IsID},
		{runlog.ArtifactsPrefix, ArtifactsRef, func(name string) bool {
			_, _, ok := runlog.ParseArtifacts(runlog.ArtifactsPrefix + name)
			return ok
		}},
		{triallog.Prefix, TrialRef, func(name string) bool { return trial.Writer(name).Valid() }},
	} {
		if name, below := strings.CutPrefix(ref, k.prefix); below && k.named(name) {
			return k.kind
		}
	}
	return ForeignRef
}

// Shared reports whether clones exchange a ref below RecordPrefix. A line of folded journals that
// another clone wrote, and that is kept beside ours, stays in its clone.
func Shared(ref string) bool {
	switch KindOf(ref) {
	case ForeignRef:
		return false
	case FoldRef:
		return local.Shelf().Yearly(ref)
	case EndRef:
		return runlog.Shelf().Yearly(ref)
	}
	return true
}

// isLine admits the lines of other clones, which are named after the year and the remote.
func isLine(name string) bool { return name != "" && !strings.Contains(name, "/") }
