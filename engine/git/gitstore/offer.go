package gitstore

// Offer asks somebody else, usually a remote, to make moves of refs before they are
// made here. It is called when everything that the moves need is durable here, and
// before a ref is locked; its error ends the update, and nothing has moved here. Other
// updates of this process wait meanwhile, so that it must make none of this repository.
type Offer func(moves []RefUpdate) error

// Offering returns the same repository, as one whose updates are first offered. What
// was accepted there and could not be made here any more (ErrStale, a kill) is for
// the caller to take over from there.
func (r *Repo) Offering(o Offer) *Repo { return &Repo{repository: r.repository, offer: o} }

// offer is the step of an update that asks.
func (t *transaction) offer() error {
	if t.repo.offer == nil {
		return nil
	}
	moves := make([]RefUpdate, len(t.refs))
	for i, m := range t.refs {
		moves[i] = m.RefUpdate
	}
	return t.repo.offer(moves)
}
