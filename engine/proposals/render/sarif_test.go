package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/assent-dev/assent/engine/base/diag"
)

// TestSARIFAsTheLibraryWritesIt: go-sarif's output for the same findings follows the published
// schema, and holds all of this log's content; the rest are defaults. The library is not part of
// the program, since it brings two more readers of schemas.
func TestSARIFAsTheLibraryWritesIt(t *testing.T) {
	for _, texts := range [][]string{nil, hostile(), {"../../etc/passwd", "/abs", "C:\\x"}} {
		r := reportOf(texts...)
		library := byLibrary(r.Engine, r.Diagnostics)
		if err := library.Validate(); err != nil {
			t.Fatalf("%q: %v", texts, err)
		}
		text, err := json.Marshal(library)
		log, wrong := sarifLog(r.Engine, r.Diagnostics)
		if err = errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		var theirs, ours any
		if err := errors.Join(json.Unmarshal(text, &theirs), json.Unmarshal(log, &ours)); err != nil {
			t.Fatal(err)
		}
		for _, missing := range beyond("", ours, theirs) {
			t.Errorf("%d findings: %s", len(texts), missing)
		}
	}
}

// beyond lists the parts of one JSON value that the other lacks.
func beyond(at string, one, other any) (out []string) {
	switch v := one.(type) {
	case map[string]any:
		of, _ := other.(map[string]any)
		for key := range v {
			if key != "$schema" { // the same document at another address
				out = append(out, beyond(at+"."+key, v[key], of[key])...)
			}
		}
	case []any:
		of, _ := other.([]any)
		if len(v) != len(of) {
			return []string{fmt.Sprintf("%s has %d members instead of %d", at, len(v), len(of))}
		}
		for i := range v {
			out = append(out, beyond(fmt.Sprintf("%s.%d", at, i), v[i], of[i])...)
		}
	default:
		if one != other {
			out = append(out, fmt.Sprintf("%s is %v instead of %v", at, one, other))
		}
	}
	return out
}

func byLibrary(engine string, found diag.List) *sarif.Report {
	run := sarif.NewRunWithInformationURI("assent", informationURI)
	run.Tool.Driver.WithVersion(engine)
	index := map[string]int{}
	text := sarif.NewMultiformatMessageString
	for i, r := range rules(found) {
		index[r.id] = i
		d := sarif.NewRule(plain(r.id)).WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(r.severity.String()))
		if r.summary != "" {
			d.WithShortDescription(text().WithText(r.summary))
		}
		if r.help != "" {
			d.WithHelp(text().WithText(r.help))
		}
		run.Tool.Driver.AddRule(d)
	}
	place := func(pos diag.Pos) []*sarif.Location {
		where := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewArtifactLocation().WithURI(uri(pos.File)).WithURIBaseID("%SRCROOT%"))
		if pos.Line > 0 {
			region := sarif.NewRegion().WithStartLine(pos.Line)
			if pos.Column > 0 {
				region.WithStartColumn(pos.Column)
			}
			where.WithRegion(region)
		}
		return []*sarif.Location{sarif.NewLocationWithPhysicalLocation(where)}
	}
	for _, d := range found {
		ours := result(d, index[d.Rule])
		out := sarif.NewRuleResult(ours.RuleID).WithRuleIndex(ours.RuleIndex).WithLevel(ours.Level).WithMessage(sarif.NewTextMessage(ours.Message.Text))
		if d.File != "" {
			out.WithLocations(place(d.Pos))
		}
		if d.File != "" && d.Also.File != "" {
			out.WithRelatedLocations(place(d.Also))
		}
		run.AddResult(out)
	}
	return sarif.NewReport().AddRun(run)
}
