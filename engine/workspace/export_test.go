package workspace

// Examinations counts the merge results that were validated for a workspace.
func (w *Workspace) Examinations() int64 { return w.policies.examined.Load() }

// NeverInForce names the remembered answer that a commit was not in force.
var NeverInForce = neverInForce
