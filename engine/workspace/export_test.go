package workspace

// Examinations counts the merge results that were validated for a workspace.
func (w *Workspace) Examinations() int64 { return w.policies.examined.Load() }
