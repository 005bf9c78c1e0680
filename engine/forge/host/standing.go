package host

// Standing chooses, of the pull requests from one branch, newest first, the one that
// stands for it (Host.Find); ok is false when there is none.
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
