package proposal

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// openClaw is the front matter of a PROPOSAL.md of OpenClaw's Workshop.
type openClaw struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Status      string `yaml:"status"`
	Version     string `yaml:"version,omitempty"`
	Date        string `yaml:"date,omitempty"`
}

// isOpenClaw recognises the form by the line `status: proposal`.
func isOpenClaw(src []byte) bool {
	fm, diags := markup.SplitFrontMatter(src)
	if diags.HasErrors() || !fm.Present {
		return false
	}
	for line := range strings.Lines(string(fm.Source)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && key == "status" && strings.Trim(strings.TrimSpace(value), `"'`) == "proposal" {
			return true
		}
	}
	return false
}

// parseOpenClaw converts a PROPOSAL.md to the addition of the skill in its body. Its
// version and date go into the rationale: in assent both come from history.
func parseOpenClaw(file string, src []byte) (Drafted, diag.List) {
	fm, diags := markup.SplitFrontMatter(src)
	diags = within(file, diags)
	doc, more := strictyaml.Parse(file, fm.Source, fm.StartLine, strictyaml.DefaultLimits())
	diags.Add(more...)
	if diags.HasErrors() {
		return Drafted{}, diags
	}
	var c openClaw
	doc.DecodeLenient(&c, &diags)
	if c.Description == "" {
		diags.Errorf(RuleDescription, doc.Pos("description"), "add a description", "the proposal has no description")
	}
	name := names.Suggest(c.Name)
	if name == "" {
		diags.Errorf(RuleName, doc.Pos("name"), "add a name of lower-case words joined by '-'", "%q is no name for a skill", c.Name)
	}
	if diags.HasErrors() {
		return Drafted{}, diags
	}
	body := string(src[fm.BodyOffset:])
	skill, err := skillFile(name, c.Description, body)
	if err != nil {
		diags.Errorf(RuleDraftFront, doc.Pos("description"), "simplify the description", "the skill's front matter cannot be written: %v", err)
		return Drafted{}, diags
	}
	why := "# Why\n\n" + c.Description + "\n"
	if c.Version != "" || c.Date != "" {
		why += "\nProposed in OpenClaw's Workshop" + labelled(", version ", c.Version) + labelled(", dated ", c.Date) + ".\n"
	}
	return Drafted{
		Proposal: Proposal{Kind: Add, Goal: c.Description, Capability: name, Body: why},
		Edits:    []tree.Edit{{Path: "skills/" + name + "/SKILL.md", Content: skill}},
	}, diags
}

func labelled(label, value string) string {
	if value == "" {
		return ""
	}
	return label + value
}
