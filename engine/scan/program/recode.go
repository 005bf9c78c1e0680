package program

import "strings"

func encoded(args []Value, input Value, base32 bool, r *memory) Value {
	how := decodeBase64
	if base32 {
		how = decodeBase32
	}
	for _, a := range args {
		if a.Text == "-d" || a.Text == "-D" || a.Text == "--decode" || a.Text == "-di" || a.Text == "-id" {
			v := input
			for _, f := range args {
				if !strings.HasPrefix(f.Text, "-") {
					v = r.contents("cat", []Value{f}, input)
				}
			}
			return decode(v, how)
		}
	}
	return mixed(append(filesOf(args), input)...).from(Encoded, "")
}

func openssl(args []Value, input Value) Value {
	v := mixed(append(filesOf(args), input)...)
	for _, a := range args {
		switch a.Text {
		case "-d":
			if len(args) > 0 && args[0].Text == "base64" || containsArg(args, "-base64") || containsArg(args, "-a") {
				return decode(input, decodeBase64)
			}
			return v.from(Decoded, "")
		}
	}
	if len(args) > 0 && (args[0].Text == "enc" || args[0].Text == "base64" || args[0].Text == "rsautl" || args[0].Text == "pkeyutl") {
		return v.from(Encoded, "")
	}
	return v
}

func containsArg(args []Value, text string) bool {
	for _, a := range args {
		if a.Text == text {
			return true
		}
	}
	return false
}

// translated undoes tr's rot13, and other maps of letters to letters.
func translated(args []Value, input Value) Value {
	if len(args) < 2 || !input.Known {
		return mixed(input)
	}
	from, to := expandRanges(args[len(args)-2].Text), expandRanges(args[len(args)-1].Text)
	if args[0].Text == "-d" {
		drop := expandRanges(args[len(args)-1].Text)
		out := known(strings.Map(func(c rune) rune {
			if strings.ContainsRune(drop, c) {
				return -1
			}
			return c
		}, input.Text)).with(input)
		return out
	}
	if from == "" || to == "" {
		return mixed(input)
	}
	table := [256]byte{}
	for i := range table {
		table[i] = byte(i)
	}
	for i := range len(from) {
		table[from[i]] = to[min(i, len(to)-1)]
	}
	b := []byte(input.Text)
	for i := range b {
		b[i] = table[b[i]]
	}
	out := known(string(b)).with(input)
	out.Disguised = true
	return out
}

func expandRanges(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] && s[i] != '[' {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
