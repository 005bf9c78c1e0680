package scan

import "unicode/utf8"

// special calls visit for each rune of d that is not plain text.
func special(d *document, visit func(at int, r rune)) {
	for _, at := range d.specials() {
		r, _ := utf8.DecodeRuneInString(d.text[at:])
		visit(int(at), r)
	}
}

// specialsOf returns the offsets of control characters other than tabs and line breaks (a line feed, alone or
// after a return), and of non-ASCII characters. Eight plain bytes cost one step.
func specialsOf(text string) []int32 {
	var found []int32
	for i := 0; i < len(text); {
		if i+8 <= len(text) && plainWord(text[i:i+8]) {
			i += 8
			continue
		}
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' && (c != '\r' || i+1 < len(text) && text[i+1] != '\n') || c == 0x7f {
				found = append(found, int32(i))
			}
			i++
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		found = append(found, int32(i))
		i += n
	}
	return found
}

// plainWord reports whether eight bytes all lie between the space and the tilde,
// by arithmetic on all of them at once.
func plainWord(s string) bool {
	const high, ones = 0x8080808080808080, 0x0101010101010101
	_ = s[7]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	// A byte below 0x20 borrows, 0x7f carries, one past 0x7f has its high bit.
	return (x|(x-0x20*ones)|(x+ones))&high == 0
}
