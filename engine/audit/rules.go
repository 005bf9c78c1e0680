package audit

// What Verify can find broken.
const (
	RuleGenesisSignature = "audit-genesis-signature"
	RuleGenesisKey       = "audit-genesis-key"
	RuleRefs             = "audit-refs-missing"
	RuleJournal          = "audit-journal"
	RuleReview           = "audit-review-signature"
	RuleMergedElsewhere  = "audit-merged-elsewhere"
	RuleMerge            = "audit-merge"
	RuleReport           = "audit-report"
	RuleVerdict          = "audit-verdict"
	RuleTrailers         = "audit-trailers"
	RuleAttestation      = "audit-attestation"
	RuleUnattested       = "audit-unattested"
	RuleBreak            = "audit-break"
	RuleRollback         = "audit-rollback"
	RuleSeen             = "audit-seen"

	RuleCheckpoint        = "audit-checkpoint"
	RuleCheckpointMain    = "audit-checkpoint-main"
	RuleCheckpointJournal = "audit-checkpoint-journal"
	RuleCheckpointInForce = "audit-checkpoint-in-force"
	RuleCheckpointSigner  = "audit-checkpoint-signer"
)

// Rules returns what each rule of this package finds, by rule id, for the
// documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleGenesisSignature: "the first commit is not signed, or its signature does not fit it",
		RuleGenesisKey:       "the first commit is signed with a key that its own roles.yaml does not list",
		RuleRefs:             "main shows merges whose journals are not in this repository",
		RuleJournal:          "a journal cannot be read from its first event to its last",
		RuleReview:           "a review's signature does not fit what it says, or it was made for something else",
		RuleMergedElsewhere:  "a journal says merged, and main does not hold the commit",
		RuleMerge:            "a merge on main, judged again, was not allowed",
		RuleReport:           "validating a merge again gives another report than the one on record",
		RuleVerdict:          "a merge's attestation says something else than judging it again does",
		RuleTrailers:         "a merge commit tells people something else than its attestation says",
		RuleAttestation:      "the signature of a merge's attestation is gone, does not fit, or is by nobody whom the policies knew",
		RuleUnattested:       "main holds a change of governed files that never passed the gate",
		RuleBreak:            "a listed key announced a commit on main as a merge, and judged again it is refused",
		RuleRollback:         "main lost a commit that this machine saw in force",
		RuleSeen:             "what this machine remembers as being in force is not what all of history gives",

		RuleCheckpoint:        "a checkpoint is not what its signer signed, or it is of another workspace",
		RuleCheckpointMain:    "main does not continue what a checkpoint saw",
		RuleCheckpointJournal: "a journal does not continue what a checkpoint saw of it",
		RuleCheckpointInForce: "a checkpoint says of a commit that it was in force, and history says otherwise",
		RuleCheckpointSigner:  "a checkpoint is signed by nobody whom the policies know as a human",
	}
}
