package markup

// Rule ids of the diagnostics of this package.
const (
	RuleByteOrderMark   = "markdown-byte-order-mark" // the file starts with U+FEFF
	RuleText            = "markdown-text"            // not UTF-8, control characters, lone carriage returns
	RuleNested          = "markdown-nested"          // quotations or lists nested beyond reason
	RuleSize            = "markdown-size"            // more text or structure than is parsed
	RuleOpenFence       = "markdown-open-fence"      // a code fence without an end
	RuleOpenHTML        = "markdown-open-html"       // an HTML comment or block without an end
	RuleFrontUnclosed   = "front-matter-unclosed"    // no closing ---
	RuleFrontEdit       = "front-matter-edit"        // an edit that cannot be made line by line
	RuleSectionMissing  = "section-missing"          // the section to edit is not there
	RuleSectionExists   = "section-exists"           // the section to add is there already
	RuleSectionTwice    = "section-ambiguous"        // several sections of one name
	RuleSectionEdit     = "section-edit"             // an edit without content, mode or usable title
	RuleSectionSmuggled = "section-smuggled"         // content that starts sections of its own
	RuleSectionUnsafe   = "section-unsafe"           // the result would not parse as intended
)

// Rules returns every rule id with its meaning, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleByteOrderMark:   "the file starts with a byte order mark",
		RuleText:            "the file is not plain UTF-8 text with LF or CRLF line ends",
		RuleNested:          "quotations or lists are nested so deeply that parsing them is an attack",
		RuleSize:            "the text or its structure is too large to be parsed",
		RuleOpenFence:       "a code fence is not closed and swallows what follows",
		RuleOpenHTML:        "an HTML comment or block is not closed and swallows what follows",
		RuleFrontUnclosed:   "the front matter has no closing ---",
		RuleFrontEdit:       "the front matter is not in a form whose lines can be edited one by one",
		RuleSectionMissing:  "the file has no such section",
		RuleSectionExists:   "a section of this name exists already",
		RuleSectionTwice:    "several sections have this name",
		RuleSectionEdit:     "the edit lacks something or is malformed",
		RuleSectionSmuggled: "the content starts a section of the same or a higher level",
		RuleSectionUnsafe:   "the edit would change how other parts of the file are read",
	}
}
