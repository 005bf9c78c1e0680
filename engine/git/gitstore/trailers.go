package gitstore

import "strings"

// Trailer is one "Key: value" line at the end of a message.
type Trailer struct{ Key, Value string }

// Trailers returns the trailers of the message's last paragraph, in order. The paragraph must
// consist of trailers only and must not be the subject. A line that starts with white space
// continues the value above it, joined by one space.
func (c Commit) Trailers() []Trailer { return ParseTrailers(c.Message) }

// Trailer returns the value of the last trailer with a key, compared without case, or "".
func (c Commit) Trailer(key string) string {
	value := ""
	for _, t := range c.Trailers() {
		if strings.EqualFold(t.Key, key) {
			value = t.Value
		}
	}
	return value
}

// ParseTrailers is Trailers for a message that is not yet in a commit. The result does not keep
// the message in memory.
func ParseTrailers(message string) []Trailer {
	message = strings.TrimRight(message, "\n")
	cut := strings.LastIndex(message, "\n\n")
	if cut < 0 {
		return nil
	}
	var out []Trailer
	var value []string // the lines of the last trailer; joined once, since many joins would take quadratic time
	end := func() {
		if len(out) > 0 {
			out[len(out)-1].Value = strings.Clone(strings.Join(value, " "))
		}
		value = value[:0]
	}
	for line := range strings.SplitSeq(message[cut+2:], "\n") {
		rest := strings.TrimLeft(line, " \t")
		if rest == line || len(out) == 0 {
			key, first, ok := strings.Cut(line, ":")
			if !ok || !TrailerKey(key) {
				return nil
			}
			end()
			out, rest = append(out, Trailer{Key: strings.Clone(key)}), first
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			value = append(value, rest)
		}
	}
	end()
	return out
}

// TrailerKey reports whether s can be the key of a trailer: ASCII letters, digits and '-'.
func TrailerKey(s string) bool {
	for _, c := range []byte(s) {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}
