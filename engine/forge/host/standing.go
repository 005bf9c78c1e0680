package host

// Standing chooses the pull request that represents a branch (see Host.Find) from a list,
// newest first; ok is false without one.
func Standing(list []Request, base string) (r Request, ok bool) {
	best := 0
	for _, q := range list {
		rank := 0
		switch {
		case q.Open && q.Base == base:
			rank = 3
		case q.Open:
			rank = 2
		case q.Base == base:
			rank = 1
		}
		if rank > best {
			r, best = q, rank
		}
	}
	return r, best > 0
}
