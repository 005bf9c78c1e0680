package transcript

// usage counts tokens as clients report them. Codex counts cached tokens among Input; Claude Code counts them
// apart.
type usage struct {
	Input   int64 `json:"input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

func (u usage) tokens() int64 {
	return believable(believable(u.Input) + believable(u.Written) + believable(u.Read) + believable(u.Output))
}

// maxSpent bounds what is believed: a transcript may say anything.
const maxSpent = 1_000_000_000_000

func believable[N int64 | float64](n N) N { return min(max(n, 0), maxSpent) }

// spent adds up what a session used.
type spent struct {
	tokens int64
	cost   float64
	// last is the newest message, and ofLast its tokens: each part of a message repeats them.
	last   string
	ofLast int64
	// sessions is what sessions that have ended used; their messages count no more.
	sessions int64
}

func (s *spent) add(tokens int64) { s.tokens = believable(s.tokens + tokens) }

func (s *spent) message(id string, tokens int64) {
	if id != "" && id == s.last {
		s.tokens -= s.ofLast
	}
	s.last, s.ofLast = id, tokens
	s.add(tokens)
}

// session takes the sum of a session in place of its messages.
func (s *spent) session(tokens int64, cost float64) {
	if tokens > 0 {
		s.tokens = believable(s.sessions + tokens)
	}
	s.sessions, s.last = s.tokens, ""
	s.cost = believable(s.cost + believable(cost))
}

// total takes the sum so far.
func (s *spent) total(tokens int64) { s.tokens = max(s.tokens, believable(tokens)) }
