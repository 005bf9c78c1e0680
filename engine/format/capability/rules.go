package capability

// Rule ids of this package's diagnostics.
const (
	RuleFrontMatter  = "skill-front-matter"
	RuleSkillName    = "skill-name"
	RuleDescription  = "skill-description"
	RuleSkillField   = "skill-field"
	RuleSkillKey     = "skill-key"
	RuleSkillLength  = "skill-length"
	RuleUnfilled     = "skill-unfilled"
	RuleSkillMissing = "skill-missing"
	RuleSkillCase    = "skill-file-case"
	RuleSkillDepth   = "skill-depth"
	RuleSkillNested  = "skill-nested"
	RuleGroups       = "skill-groups"
	RuleTwin         = "capability-twin"
	RuleRecordValue  = "record-value"
	RuleRecordField  = "record-field"
	RuleRecordKind   = "record-kind"
	RuleRecordRun    = "record-run"
	RuleRecordSchema = "record-schema"
	RuleExample      = "record-example"
	RuleStatus       = "record-status"
	RuleVersion      = "record-version"
	RuleBreaking     = "record-breaking"
	RuleSignature    = "record-signature"
	RuleSuiteEmpty   = "suite-empty"
	RuleSuiteCase    = "suite-case"
	RuleSuiteExpect  = "suite-expectation"
	RuleSuiteAppend  = "suite-append-only"
	RuleEvals        = "evals-shape"
	RuleImportFile   = "import-file"
	RuleImportSkill  = "import-skill"
	RuleScaffold     = "scaffold-template"
)

// Rules returns each rule id with a description of the content it refuses or reports, for
// the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleFrontMatter:  "a SKILL.md starts with front matter that names and describes it",
		RuleSkillName:    "a skill's name equals its folder's",
		RuleDescription:  "the description says what the skill does and when to use it, in 1 to 1024 characters",
		RuleSkillField:   "a field of the front matter is too long or empty",
		RuleSkillKey:     "the front matter has a key that the Agent Skills format does not know",
		RuleUnfilled:     "a template was not filled in: it still says what its author was to write",
		RuleSkillLength:  "a long body costs tokens on every use; details belong in references/",
		RuleSkillMissing: "a folder below skills/ has the files of a capability but no SKILL.md",
		RuleSkillCase:    "the file is called SKILL.md, in capitals",
		RuleSkillDepth:   "a capability stands in skills/<name> or skills/<group>/<name>",
		RuleSkillNested:  "a SKILL.md inside another capability is loaded by some clients and governed by none",
		RuleGroups:       "more than 1 000 entries in one folder make every commit slow",
		RuleTwin:         "two capabilities answer to one name",
		RuleRecordValue:  "a value of capability.yaml is not of the form that its field asks for",
		RuleRecordField:  "a field that this kind of capability needs is missing, or one it must not have is there",
		RuleRecordKind:   "the kind of a capability and its files contradict each other",
		RuleRecordRun:    "what shall run is missing or cannot run this way",
		RuleRecordSchema: "a JSON Schema that does not compile, or needs more than the file it stands in",
		RuleExample:      "an example does not fit the schema that it illustrates",
		RuleStatus:       "a capability's status moves along its life cycle only",
		RuleVersion:      "a version is semantic, never goes back, and changes with the content",
		RuleBreaking:     "a breaking version stands in a folder of its own and starts in testing, beside the deprecated one before",
		RuleSignature:    "input and output of a capability do not fit the signature that its callers know",
		RuleSuiteEmpty:   "a test suite without cases tests nothing",
		RuleSuiteCase:    "a test case is incomplete or its name is taken",
		RuleSuiteExpect:  "an expectation that holds for every answer asserts nothing",
		RuleSuiteAppend:  "tests are added, never changed or removed",
		RuleEvals:        "evals/evals.json holds a JSON object with a list of evals",
		RuleImportFile:   "a file of an imported folder cannot be stored and was left out",
		RuleImportSkill:  "an imported folder has no usable SKILL.md and was skipped",
		RuleScaffold:     "a template of assent itself is broken",
	}
}
