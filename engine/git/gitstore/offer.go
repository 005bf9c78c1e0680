package gitstore

// Offer asks another party, usually a remote, to make moves of refs before they are
// made here. It is called when everything that the moves need is durable here, and
// before a ref is locked; its error ends the update, and nothing has moved here. Other
// updates of this process wait meanwhile, so that it must make none of this repository.
type Offer func(moves []RefUpdate) error

// Offering returns the same repository, as one whose updates are first offered. What
// was accepted there and could not be made here any more (ErrStale, a kill) is for
// the caller to take over from there.
func (r *Repo) Offering(o Offer) *Repo {
	offering, refs := *r, *r.RefStore
	refs.offer = o
	offering.RefStore = &refs
	return &offering
}

// offer is the step of an update that asks.
func (t *transaction) offer() error {
	if t.refs.offer == nil {
		return nil
	}
	moves := make([]RefUpdate, len(t.moves))
	for i, m := range t.moves {
		moves[i] = m.RefUpdate
	}
	return t.refs.offer(moves)
}
