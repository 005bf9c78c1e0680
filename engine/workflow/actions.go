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
	"index":         "the index is brought up to date by whoever reads it, so that there is nothing to do",
	"reconcile":     "a workflow cannot call the pass that carries it out",
	"open-proposal": "the first job that delivers files opens the run's proposal",
	"maintenance":   "merges tidy up by the way, and cron can call assent maintenance",
}
