package gaps

import (
	"strings"
	"sync"
)

// maxMessage bounds how much of one message is heard, in bytes.
const maxMessage = 64 << 10

// maxSentence is the length from which on a text without a full stop is no sentence, in bytes.
const maxSentence = 1000

// spoken returns an agent's message without blocks of code and quoted lines: those are others' words, or
// content that the agent writes.
func spoken(text string) string {
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t")
		switch mark := fenceOf(bare); {
		case fence != "":
			if mark != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(bare) == mark {
				fence = ""
			}
			b.WriteString("\n")
		case mark != "":
			fence = mark
			b.WriteString("\n")
		case strings.HasPrefix(bare, ">"), strings.HasPrefix(bare, "|"), strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
			b.WriteString("\n")
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// fenceOf returns the mark of a line that begins or ends a block of code.
func fenceOf(line string) string {
	for _, c := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// sentence is a part of a message.
type sentence struct {
	text string
	// lower and masked are the text in lower case, byte by byte. In masked, quotations are blank.
	lower, masked string
	line          int // the number of line breaks before it
	// lacks: the words before this part of a sentence say that it is lacking.
	lacks bool
}

// sentencesOf splits a message. A sentence ends at a blank line, a list item, or a mark that blanks follow.
func sentencesOf(text string) (out []sentence) {
	masked := mask(text)
	start, line := 0, 0
	cut := func(end int) {
		s := text[start:end]
		if bare := strings.TrimLeft(s, "\n "); bare != "" {
			out = append(out, sentence{oneLine(s), lower(oneLine(s)), lower(oneLine(masked[start:end])), line + strings.Count(s[:len(s)-len(bare)], "\n"), false})
		}
		start, line = end, line+strings.Count(s, "\n")
	}
	for i := 0; i < len(text)-1; i++ {
		switch next := text[i+1]; text[i] {
		case '.', '!', '?':
			if next == ' ' || next == '\n' {
				cut(i + 1)
			}
		case '\n':
			if strings.IndexByte("\n-*#0123456789", next) >= 0 {
				cut(i + 1)
			}
		}
	}
	cut(len(text))
	return out
}

// oneLine replaces line breaks, byte by byte.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ", "\r", " ", "*", " ").Replace(s)
}

// lower replaces the letters of ASCII, byte by byte.
func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// mask blanks what is quoted, byte by byte. A quote ends in the same paragraph.
func mask(text string) string {
	out := []byte(text)
	for open, end := range map[string]string{`"`: `"`, "“": "”", "«": "»", "„": "“"} {
		for at := 0; ; {
			i := strings.Index(text[at:], open)
			if i < 0 {
				break
			}
			from := at + i + len(open)
			n := strings.Index(text[from:], end)
			if n < 0 {
				break
			}
			if strings.Contains(text[from:from+n], "\n\n") {
				at = from
				continue
			}
			for j := from; j < from+n; j++ {
				out[j] = ' '
			}
			at = from + n + len(end)
		}
	}
	return string(out)
}

// filler are words that name nothing, ends those that begin another thought.
var filler, ends = sync.OnceValue(func() map[string]bool {
	return setOf(`a an the and or of for to in on at by with from that this these those which is are was be been it its your you our my me we i
		such as so than then there here any some no not one other another new right available configured connected installed specialised specialized specialises dedicated proper separate
		mcp server servers tool tools skill skills agent agents sub subagent integration integrations connector connectors plugin access connection reviewing can could would should
		do does did done have has had will just only currently really also still how what where when all each every them they their into via using use like help need needed
		im id ive ill dont cant wont myself itself yourself please ever never already else directly properly automatically somehow well`)
}), sync.OnceValue(func() map[string]bool {
	return setOf(`either neither too yet though although but because if unless while whereas since until however anyway anymore unfortunately sadly otherwise meanwhile`)
})

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
