package names

// The rules of this package, as in diagnostics.
const (
	RuleName      = "name-shape"
	RuleReserved  = "name-reserved"
	RuleTool      = "tool-name"
	RuleProposal  = "proposal-id"
	RuleEmpty     = "path-empty"
	RuleAbsolute  = "path-absolute"
	RuleTraversal = "path-traversal"
	RuleUnclean   = "path-unclean"
	RuleControl   = "path-control"
	RuleBackslash = "path-backslash"
	RuleDotGit    = "path-dotgit"
	RuleDevice    = "path-device"
	RuleCharacter = "path-character"
	RuleEdge      = "path-edge"
	RuleShortName = "path-short-name"
	RuleEncoded   = "path-encoded"
	RuleLength    = "path-length"
	RuleUTF8      = "path-utf8"
	RuleNFC       = "path-nfc"
	RuleInvisible = "path-invisible"
	RuleLookalike = "path-lookalike"
	RuleMode      = "file-mode"
	RuleExecBit   = "file-executable"
	RuleCollision = "path-collision"
	RuleFileDir   = "path-file-directory"
	RuleTwin      = "name-collision"
)

// Rules returns the reason for each rule of this package, by rule id, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleName:      "names are folders, refs and keys at once: one small alphabet is safe in all of them",
		RuleReserved:  "Windows opens a device instead of a file of this name",
		RuleTool:      "a tool is called by an identifier, so its spelling must be one",
		RuleProposal:  "an id names a file, a branch and a journal, and its random part keeps two agents apart",
		RuleEmpty:     "an empty path names the workspace itself",
		RuleAbsolute:  "an absolute path leaves the workspace",
		RuleTraversal: "'..' leaves the folder that was asked about",
		RuleUnclean:   "two spellings of one path would be judged as two files",
		RuleControl:   "control characters end lines and strings early, in logs, scripts and C",
		RuleBackslash: "a backslash separates folders on Windows",
		RuleDotGit:    "a file inside .git is configuration that Git executes",
		RuleDevice:    "Windows opens a device instead of a file of this name",
		RuleCharacter: "Windows cannot store it, and a colon names a hidden stream there",
		RuleEdge:      "Windows drops it silently, shells read it as an option or a home folder",
		RuleShortName: "Windows resolves short names to other files",
		RuleEncoded:   "a decoder on the way turns it into a separator",
		RuleLength:    "longer paths cannot be checked out everywhere",
		RuleUTF8:      "what is not UTF-8 is shown and stored differently on every system",
		RuleNFC:       "macOS and Linux disagree about names that are not normalised",
		RuleInvisible: "a reviewer cannot see it, and some systems ignore it",
		RuleLookalike: "a reviewer reads another name than the one that is stored",
		RuleMode:      "links and submodules reach outside what was reviewed",
		RuleExecBit:   "code is recognised by where it stands",
		RuleCollision: "one file replaces the other on a system that folds names",
		RuleFileDir:   "no system can store a file and a folder of one name",
		RuleTwin:      "one spelling would answer for two capabilities",
	}
}
