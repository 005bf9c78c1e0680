package strictyaml

// Rule ids of the diagnostics of this package.
const (
	RuleSize      = "yaml-size"      // input, scalar or node count over the limit
	RuleEncoding  = "yaml-encoding"  // not UTF-8, a byte order mark, a control character
	RuleSyntax    = "yaml-syntax"    // not YAML
	RuleDocuments = "yaml-documents" // none or more than one document
	RuleDepth     = "yaml-depth"     // nested too deeply
	RuleAlias     = "yaml-alias"     // aliases that expand beyond the limit, or into themselves
	RuleTag       = "yaml-tag"       // an explicit tag such as !!binary
	RuleKey       = "yaml-key"       // a key that is no text, or a merge key
	RuleDuplicate = "yaml-duplicate" // one key twice in a mapping
	RuleUnknown   = "yaml-unknown"   // a key that the format does not have
	RuleType      = "yaml-type"      // a value of another type than the field's
	RuleAmbiguous = "yaml-ambiguous" // text that other readers take for something else
	RuleValue     = "yaml-value"     // right type, impossible value
)

// Rules returns every rule id with its meaning, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleSize:      "the file, one value or the number of values is over the limit",
		RuleEncoding:  "the file is not plain UTF-8 text",
		RuleSyntax:    "the file is not YAML",
		RuleDocuments: "the file holds no document or more than one",
		RuleDepth:     "values are nested too deeply",
		RuleAlias:     "aliases multiply the content beyond the limit or refer to themselves",
		RuleTag:       "a value carries an explicit type tag",
		RuleKey:       "a key is not text, or is the merge key <<",
		RuleDuplicate: "a mapping holds the same key twice",
		RuleUnknown:   "the format has no such field",
		RuleType:      "the value has another type than the field",
		RuleAmbiguous: "unquoted text that readers of YAML understand differently",
		RuleValue:     "the value cannot be used for this field",
	}
}
