package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/gate/validate"
)

// The names of the forms.
const (
	FormatText     = "text"
	FormatJSON     = "json"
	FormatGitHub   = "github"
	FormatMarkdown = "markdown"
	FormatSARIF    = "sarif"
)

// Formats returns the names of all forms, in the order of the help text.
func Formats() []string {
	return []string{FormatText, FormatJSON, FormatGitHub, FormatMarkdown, FormatSARIF}
}

// Report writes r in one form. The same report gives the same bytes. An unknown
// form is an error, see Formats.
func Report(format string, r validate.Report) ([]byte, error) {
	r.Diagnostics = slices.Clone(r.Diagnostics)
	r.Diagnostics.Sort()
	switch format {
	case FormatText:
		return text(r), nil
	case FormatJSON:
		return r.Canonical()
	case FormatGitHub:
		return github(r), nil
	case FormatMarkdown:
		return markdown(r), nil
	case FormatSARIF:
		return sarifLog(r.Engine, r.Diagnostics)
	}
	return nil, fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
}
