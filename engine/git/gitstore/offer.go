package gitstore

// Offer asks another party, usually a remote, to move refs before they move here. It is called
// once everything that the moves need is durable here, and before a ref is locked. Its error
// ends the update without a move here. Other updates of this process wait for it, so it must
// not update this repository itself.
type Offer func(moves []RefUpdate) error

// Offering returns the same repository with o called for every update. If o accepted moves that
// then fail here (ErrStale, a kill), the caller has to fetch them from the other party.
func (r *Repo) Offering(o Offer) *Repo {
	offering, refs := *r, *r.RefStore
	refs.offer = o
	offering.RefStore = &refs
	return &offering
}

// offer calls the Offer, if there is one.
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
