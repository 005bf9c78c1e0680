package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/assent-dev/assent/engine/base/diag"
)

// informationURI is where the tool is described.
const informationURI = "https://github.com/assent-dev/assent"

// sarifLog writes a SARIF 2.1.0 log with one run, as code scanning services take
// it. Columns count bytes, because positions in a report do.
func sarifLog(engine string, found diag.List) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifReport(engine, found)); err != nil {
		return nil, fmt.Errorf("encode SARIF: %w", err)
	}
	return out.Bytes(), nil
}

func sarifReport(engine string, found diag.List) *sarif.Report {
	report := sarif.NewReport()
	run := sarif.NewRunWithInformationURI("assent", informationURI)
	run.Tool.Driver.WithVersion(engine)
	index := map[string]int{}
	for i, known := range rules(found) {
		index[known.id] = i
		run.Tool.Driver.AddRule(descriptor(known))
	}
	for _, d := range found {
		run.AddResult(result(d, index[d.Rule]))
	}
	return report.AddRun(run)
}

func descriptor(r rule) *sarif.ReportingDescriptor {
	d := sarif.NewRule(plain(r.id)).WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(r.severity.String()))
	if r.summary != "" {
		d.WithShortDescription(sarif.NewMultiformatMessageString().WithText(r.summary))
	}
	if r.help != "" {
		d.WithHelp(sarif.NewMultiformatMessageString().WithText(r.help))
	}
	return d
}

func result(d diag.Diagnostic, rule int) *sarif.Result {
	message := plain(d.Message)
	if d.Evidence != "" {
		message += " | " + plain(d.Evidence)
	}
	if d.Fix != "" {
		message += " | fix: " + plain(d.Fix)
	}
	out := sarif.NewRuleResult(plain(d.Rule)).WithRuleIndex(rule).WithLevel(d.Severity.String()).
		WithMessage(sarif.NewTextMessage(messageText(message)))
	if d.File == "" {
		return out
	}
	if d.Also.File != "" {
		out.WithRelatedLocations([]*sarif.Location{location(d.Also)})
	}
	return out.WithLocations([]*sarif.Location{location(d.Pos)})
}

func location(pos diag.Pos) *sarif.Location {
	where := sarif.NewPhysicalLocation().WithArtifactLocation(
		sarif.NewArtifactLocation().WithURI(uri(pos.File)).WithURIBaseID("%SRCROOT%"))
	if pos.Line > 0 {
		region := sarif.NewRegion().WithStartLine(pos.Line)
		if pos.Column > 0 {
			region.WithStartColumn(pos.Column)
		}
		where.WithRegion(region)
	}
	return sarif.NewLocationWithPhysicalLocation(where)
}

// messageText escapes what SARIF (§3.11.6) reads as a link in plain messages.
func messageText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
}

// uri is a path as a relative reference: nothing in it can look like a scheme, a
// host, a query or the way up.
func uri(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
		if p == ".." || p == "." {
			parts[i] = strings.ReplaceAll(p, ".", "%2E")
		}
	}
	return strings.TrimLeft(strings.Join(parts, "/"), "/")
}
