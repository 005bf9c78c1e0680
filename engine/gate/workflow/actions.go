package workflow

// The built-in actions.
const (
	Inbox    = "inbox"
	Health   = "health"
	Validate = "validate"
	Merge    = "merge"
	Notify   = "notify"
	GC       = "gc"
)

// Actions returns all of them, sorted.
func Actions() []string { return []string{GC, Health, Inbox, Merge, Notify, Validate} }

// missing are actions that people ask for and this version does not have, each with
// what there is instead.
var missing = map[string]string{
	"index":         "each pass brings the index up to date by the way, and so does whoever reads",
	"reconcile":     "a pass is what carries workflows out; cron, assent serve or schedule.yml make one",
	"open-proposal": "the first job that delivers files opens the run's proposal, by whoever delivers them",
	"maintenance":   "merges tidy up by the way, and cron can call assent maintenance",
}
