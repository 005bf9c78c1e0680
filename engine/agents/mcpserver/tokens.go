package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// minToken is the length of the shortest token, in bytes.
const minToken = 32

// ErrTokens says that a file of tokens is invalid.
var ErrTokens = errors.New("no tokens of agents")

// Token lets one client of an agent in over HTTP.
type Token struct {
	Agent string
	// Line is the line of the file that gives the token.
	Line   int
	digest [sha256.Size]byte
}

// Name identifies the token without giving it away.
func (t Token) Name() string { return hex.EncodeToString(t.digest[:6]) }

// ParseTokens reads tokens, one on each line after the name of its agent. Empty lines and those
// that begin with # count for nothing. Two clients have two tokens, also if they are of one agent.
func ParseTokens(text []byte) ([]Token, error) {
	var out []Token
	seen, n := map[[sha256.Size]byte]int{}, 0
	for line := range bytes.Lines(text) {
		n++
		fields := bytes.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%w: line %d has %d words; want AGENT TOKEN", ErrTokens, n, len(fields))
		}
		if len(fields[1]) < minToken {
			return nil, fmt.Errorf("%w: line %d: a token of %d characters is too easily guessed; make one with: openssl rand -hex 32", ErrTokens, n, len(fields[1]))
		}
		t := Token{Agent: string(fields[0]), Line: n, digest: sha256.Sum256(fields[1])}
		if first := seen[t.digest]; first > 0 {
			return nil, fmt.Errorf("%w: lines %d and %d have the same token; give each client its own", ErrTokens, first, n)
		}
		seen[t.digest] = n
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no line has one; write AGENT TOKEN", ErrTokens)
	}
	return out, nil
}
