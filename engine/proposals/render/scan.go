package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/scan"
)

// ScanFormats returns the forms that results of the scanner have beside the text
// for people.
func ScanFormats() []string { return []string{FormatJSON, FormatGitHub, FormatSARIF} }

// Scan writes the results of a scan in one form. The same results give the same
// bytes. An unknown form is an error, see ScanFormats.
func Scan(format string, results []scan.Result) ([]byte, error) {
	switch format {
	case FormatJSON:
		return scanJSON(results)
	case FormatGitHub:
		return annotations(Located(results)), nil
	case FormatSARIF:
		return sarifLog(version.Engine, Located(results))
	}
	return nil, fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(append([]string{FormatText}, ScanFormats()...), ", "))
}

// Located are the findings of all results, with paths as they were named.
func Located(results []scan.Result) diag.List {
	var out diag.List
	for _, r := range results {
		for _, d := range slices.Clone(r.Findings) {
			switch {
			case d.File == "" || r.Name == d.File && strings.HasSuffix(r.Path, d.File):
				d.File = slashed(r.Path)
			default:
				d.File = path.Join(slashed(r.Path), d.File)
			}
			out.Add(d)
		}
	}
	return out
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// scanned is one capability as machines get it.
type scanned struct {
	Path     string        `json:"path"`
	Name     string        `json:"name"`
	Verdict  scan.Verdict  `json:"verdict"`
	Score    float64       `json:"score"`
	Files    int           `json:"files"`
	Findings []scanFinding `json:"findings"`
}

// scanFinding is one finding as machines get it, every field present.
type scanFinding struct {
	Rule       string        `json:"rule"`
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Column     int           `json:"column"`
	Severity   diag.Severity `json:"severity"`
	Confidence float64       `json:"confidence"` // 1 where the rule is exact
	Message    string        `json:"message"`
	Evidence   string        `json:"evidence"`
	Why        string        `json:"why"`
	Fix        string        `json:"fix"`
}

func scanJSON(results []scan.Result) ([]byte, error) {
	out := []scanned{}
	for _, r := range results {
		s := scanned{Path: r.Path, Name: r.Name, Verdict: r.Verdict, Score: r.Score, Files: r.Files, Findings: []scanFinding{}}
		for _, d := range r.Findings {
			f := scanFinding{d.Rule, d.File, d.Line, d.Column, d.Severity, d.Confidence, d.Message, d.Evidence, d.Why, d.Fix}
			if f.Confidence == 0 {
				f.Confidence = 1
			}
			s.Findings = append(s.Findings, f)
		}
		out = append(out, s)
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encode findings: %w", err)
	}
	return data.Bytes(), nil
}
