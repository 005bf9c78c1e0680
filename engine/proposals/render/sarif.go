package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

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

// The parts of SARIF 2.1.0 that are written: OASIS, Static Analysis Results Interchange
// Format, sections 3.13 to 3.50.
type (
	sarifFile struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules,omitempty"`
	}
	sarifRule struct {
		ID                   string        `json:"id"`
		ShortDescription     *sarifText    `json:"shortDescription,omitempty"`
		Help                 *sarifText    `json:"help,omitempty"`
		DefaultConfiguration sarifSettings `json:"defaultConfiguration"`
	}
	sarifSettings struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifText       `json:"message"`
		Locations        []sarifLocation `json:"locations,omitempty"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

func sarifReport(engine string, found diag.List) sarifFile {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "assent", Version: engine, InformationURI: informationURI}}, Results: []sarifResult{}}
	index := map[string]int{}
	for i, known := range rules(found) {
		index[known.id] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, descriptor(known))
	}
	for _, d := range found {
		run.Results = append(run.Results, result(d, index[d.Rule]))
	}
	return sarifFile{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

func descriptor(r rule) sarifRule {
	return sarifRule{plain(r.id), optional(r.summary), optional(r.help), sarifSettings{r.severity.String()}}
}

func optional(text string) *sarifText {
	if text == "" {
		return nil
	}
	return &sarifText{text}
}

func result(d diag.Diagnostic, rule int) sarifResult {
	message := plain(d.Message)
	if d.Evidence != "" {
		message += " | " + plain(d.Evidence)
	}
	if d.Fix != "" {
		message += " | fix: " + plain(d.Fix)
	}
	out := sarifResult{RuleID: plain(d.Rule), RuleIndex: rule, Level: d.Severity.String(), Message: sarifText{messageText(message)}}
	if d.File == "" {
		return out
	}
	out.Locations = []sarifLocation{location(d.Pos)}
	if d.Also.File != "" {
		out.RelatedLocations = []sarifLocation{location(d.Also)}
	}
	return out
}

func location(pos diag.Pos) sarifLocation {
	where := sarifPlace{ArtifactLocation: sarifArtifact{uri(pos.File), "%SRCROOT%"}}
	if pos.Line > 0 {
		where.Region = &sarifRegion{pos.Line, max(pos.Column, 0)}
	}
	return sarifLocation{where}
}

// messageText escapes text that SARIF (§3.11.6) reads as a link in plain messages.
func messageText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
}

// uri returns a path as a relative reference: nothing in it can look like a scheme, a host, a
// query or the way up.
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
