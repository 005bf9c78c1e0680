package audit

// The rule ids of Verify.
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

// Rules returns each rule id with a description of the fault it finds, for the
// documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleGenesisSignature: "the first commit is unsigned, or its signature does not verify",
		RuleGenesisKey:       "the first commit is signed with a key that its own roles.yaml does not list",
		RuleRefs:             "main shows merges whose journals are not in this repository",
		RuleJournal:          "a journal cannot be read from its first event to its last",
		RuleReview:           "a review's signature does not verify, or was made for something else",
		RuleMergedElsewhere:  "a journal says merged, but main does not contain the commit",
		RuleMerge:            "a merge on main is refused when it is judged again",
		RuleReport:           "validating a merge again gives a report that differs from the recorded one",
		RuleVerdict:          "a merge's attestation differs from the result of judging it again",
		RuleTrailers:         "the trailers of a merge commit contradict its attestation",
		RuleAttestation:      "the signature of a merge's attestation is missing, does not verify, or is by a key that the policies did not list",
		RuleUnattested:       "main holds a change of governed files that did not pass the gate",
		RuleBreak:            "a listed key announced a commit on main as a merge, but the gate refuses it",
		RuleRollback:         "main lost a commit that this machine saw in force",
		RuleSeen:             "the commit that this machine remembers as in force is not in force by the whole history",

		RuleCheckpoint:        "a checkpoint's signature does not verify, or it belongs to another workspace",
		RuleCheckpointMain:    "main does not continue what a checkpoint saw",
		RuleCheckpointJournal: "a journal does not continue from where a checkpoint saw it end",
		RuleCheckpointInForce: "a checkpoint says that a commit was in force, but by the history it was not",
		RuleCheckpointSigner:  "a checkpoint is signed by a key that the policies do not list as a human's",
	}
}
