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
	return claimed(claimed(u.Input, maxTokens)+claimed(u.Written, maxTokens)+claimed(u.Read, maxTokens)+claimed(u.Output, maxTokens), maxTokens)
}

// The most tokens, and US dollars of one session, that are believed: a transcript may say anything.
const (
	maxTokens = 1_000_000_000_000
	maxCost   = 1_000_000
)

// claimed is a claim, or 0 for one that cannot be true.
func claimed[N int64 | float64](n, most N) N {
	if n < 0 || n > most {
		return 0
	}
	return n
}

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

func (s *spent) add(tokens int64) { s.tokens = min(s.tokens+tokens, maxTokens) }

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
		s.tokens = min(s.sessions+tokens, maxTokens)
	}
	s.sessions, s.last = s.tokens, ""
	s.cost += claimed(cost, maxCost)
}

// total takes the sum so far.
func (s *spent) total(tokens int64) { s.tokens = max(s.tokens, claimed(tokens, maxTokens)) }
