package policy

// The policy files, by path.
const (
	RolesFile     = "policies/roles.yaml"
	ApprovalsFile = "policies/approvals.yaml"
	AutonomyFile  = "policies/autonomy.yaml"
	LimitsFile    = "policies/limits.yaml"
	SecurityFile  = "policies/security.yaml"
	RetentionFile = "policies/retention.yaml"
	WorkspaceFile = "policies/workspace.yaml"
	GapsFile      = "policies/gaps.yaml"
	// ScenariosDir holds scenarios that the policies are tried with (package scenario).
	ScenariosDir = "policies/scenarios"
)

// Files returns the paths of all policy files, in the order of Load.
func Files() []string {
	return []string{RolesFile, ApprovalsFile, AutonomyFile, LimitsFile, SecurityFile, RetentionFile, WorkspaceFile, GapsFile}
}

// Rule ids of the diagnostics of Load and LockedOut; those of the YAML itself are strictyaml's.
const (
	RuleMissing     = "policy-missing"
	RuleUnreadable  = "policy-unreadable"
	RuleUnknownFile = "policy-unknown-file"
	RuleName        = "policy-name"
	RuleKey         = "policy-key"
	RuleEmail       = "policy-email"
	RuleShared      = "policy-shared"
	RuleRole        = "policy-role"
	RuleMember      = "policy-member"
	RuleHuman       = "policy-human"
	RuleNoHuman     = "policy-no-human"
	RuleNoKey       = "policy-no-key"
	RuleTooFew      = "policy-too-few"
	RuleTier        = "policy-tier"
	RuleRequirement = "policy-requirement"
	RuleCondition   = "policy-condition"
	RuleMode        = "policy-mode"
	RuleKind        = "policy-kind"
	RuleRange       = "policy-range"
	RulePattern     = "policy-pattern"
	RuleWaiver      = "policy-waiver"
	RuleHost        = "policy-host"
	RuleOwner       = "policy-owner"
	RuleRevoked     = "policy-revoked"
	RuleCheck       = "policy-check"
)

// Rules returns every rule id of Load and LockedOut with its description, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleMissing:     "a policy file does not exist; the strictest defaults stand in for it",
		RuleUnreadable:  "a policy file cannot be read; the strictest defaults stand in for it",
		RuleUnknownFile: "a file in policies/ that nothing reads",
		RuleName:        "an identity's name is not lower-case words joined by '-', or is used for two",
		RuleKey:         "a key is neither a fingerprint nor a public key, or too weak",
		RuleEmail:       "an e-mail address does not look like one",
		RuleShared:      "a key, address or account belongs to two identities",
		RuleRole:        "a role that does not exist",
		RuleMember:      "a role's member is missing from people and agents",
		RuleHuman:       "the human role names an agent",
		RuleNoHuman:     "no one holds the human role, so that dangerous changes can never be approved",
		RuleNoKey:       "a holder of the human role has neither key nor account, so that their approval can never come",
		RuleTooFew:      "more approvals are required than there are identities who can give them",
		RuleTier:        "a tier without requirements, or one that cannot have any",
		RuleRequirement: "a requirement names no known role, or no positive number",
		RuleCondition:   "a rule's condition is empty, or says something that cannot be evaluated",
		RuleMode:        "an autonomy mode that does not exist",
		RuleKind:        "a kind that does not exist",
		RuleRange:       "a number or a length of time outside its bounds",
		RulePattern:     "a regular expression is broken, or has no explanation",
		RuleWaiver:      "a waiver without rule, content, reason or last day",
		RuleHost:        "a host is not written as host:port",
		RuleOwner:       "an agent's owner is no person in the file, or a person has one",
		RuleRevoked:     "a revoked key without an instant or a reason, or a revocation in force that is left out",
		RuleCheck:       "a required check names no script of a workflow that proposals start, or one that may be skipped",
	}
}
