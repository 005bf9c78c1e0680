package render

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/suite"
)

// SuiteFormats returns the forms that a report of tests has.
func SuiteFormats() []string { return []string{FormatText, FormatJSON, FormatMarkdown} }

// Suite writes a report of tests in one form. How long anything took stands in JSON
// only. An unknown form is an error, see SuiteFormats.
func Suite(format string, r suite.Report) ([]byte, error) {
	switch format {
	case FormatText:
		return suiteText(r), nil
	case FormatMarkdown:
		return suiteMarkdown(r), nil
	case FormatJSON:
		data, err := canonical.Text(r)
		if err != nil {
			return nil, fmt.Errorf("encode a test report: %w", err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(SuiteFormats(), ", "))
}

// suiteText names each case, the cause of those that did not pass below it.
func suiteText(r suite.Report) []byte {
	var out strings.Builder
	for _, c := range r.Cases {
		fmt.Fprintf(&out, "%-5s %s%s\n", c.Verdict, plain(c.Name), remarks(c, plain))
		for _, l := range explained(c) {
			fmt.Fprintf(&out, "      %s%s\n", l.label, plain(l.text))
		}
	}
	fmt.Fprintf(&out, "%s %s: %s\n", plain(r.Subject.Name), plain(string(r.Subject.Version)), r.Summary())
	return []byte(out.String())
}

// remarks says where a case comes from and what it counts, where that is not usual.
func remarks(c suite.Result, escape func(string) string) string {
	var out []string
	switch c.Origin {
	case suite.Inherits:
		out = append(out, "of "+escape(c.From))
	case suite.Standard:
		out = append(out, "standard")
	case suite.Own:
	}
	if !c.Required {
		out = append(out, "optional")
	}
	if c.Weight != 1 {
		out = append(out, fmt.Sprintf("weight %g", c.Weight))
	}
	if c.Verdict == suite.Flaky {
		out = append(out, fmt.Sprintf("%d runs", c.Runs))
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

type labelled struct{ label, text string }

// explained is what there is to say of a case that did not pass.
func explained(c suite.Result) []labelled {
	var out []labelled
	for _, l := range []labelled{{"", c.Cause}, {"means: ", c.Means}, {"fix: ", c.Fix}} {
		if l.text != "" {
			out = append(out, l)
		}
	}
	if c.Returned {
		out = append(out, labelled{"", "the record says that this is resolved, and it has returned"})
	}
	return out
}

// suiteMarkdown is for a comment: the sum, and the cases that did not pass.
func suiteMarkdown(r suite.Report) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "**Tests of %s %s: %s**\n", codeSpan(r.Subject.Name), codeSpan(string(r.Subject.Version)), r.Summary())
	for i, c := range r.Cases {
		if c.Verdict == suite.Pass {
			continue
		}
		var item strings.Builder
		fmt.Fprintf(&item, "\n- **%s** %s%s\n", c.Verdict, codeSpan(c.Name), remarks(c, codeSpan))
		for _, l := range explained(c) {
			fmt.Fprintf(&item, "  - %s%s\n", l.label, codeSpan(l.text))
		}
		if out.Len()+item.Len() > maxMarkdown {
			fmt.Fprintf(&out, "\n… and what follows the first %d cases; the text report has them all.\n", i)
			break
		}
		out.WriteString(item.String())
	}
	return []byte(out.String())
}
