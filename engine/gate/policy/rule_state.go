package policy

func judgeState(c inquiry) Verdict {
	switch {
	case c.f.State == Draft:
		return c.waitForProposer([]string{OnState}, "it is a draft")
	case c.f.State == Withdrawn:
		return refused([]string{OnState}, "it was withdrawn; reopen it to go on")
	case c.f.State == Rejected:
		return refused([]string{OnState}, "it was rejected; reopen it to go on")
	case c.f.State == Merged:
		return refused(nil, "it is merged already")
	case c.f.State != Open:
		return undecided([]string{OnState}, "the state of its pull request is not known")
	//defence:conflicts-block
	case c.f.Conflicted:
		return c.waitForProposer([]string{OnPush}, "it conflicts with main")
	default:
		return allowed("it is open")
	}
}
