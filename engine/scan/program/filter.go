package program

import (
	"strconv"
	"strings"
)

// filter reads programs that make or change data. It reports whether name is such a program.
func (r *trace) filter(name string, args []Value, input Value) (Value, bool) {
	switch filters()[name] {
	case "echo":
		for len(args) > 0 && (args[0].Text == "-n" || args[0].Text == "-e" || args[0].Text == "-ne" || args[0].Text == "-en") {
			if strings.Contains(args[0].Text, "e") {
				args = unescaped(args)
			}
			args = args[1:]
		}
		return r.printed(name, join(" ", args...)), true

	case "printf":
		return r.printed(name, printed(args)), true

	case "contents":
		return r.contents(name, args, input), true

	case "base64":
		return encoded(args, input, name == "base32", &r.memory), true

	case "hex":
		if flagged(args, "r") {
			return decode(input.with(filesOf(args)...), decodeHex), true
		}
		return r.contents(name, args, input).from(Encoded, ""), true

	case "openssl":
		return openssl(args, input), true

	case "encrypt":
		return mixed(append(filesOf(args), input)...).from(Encoded, ""), true

	case "reverse":
		out := decode(input, decodeReverse)
		out.Disguised = true
		return out, true

	case "translate":
		return translated(args, input), true

	case "compress":
		if name != "gzip" || flagged(args, "d") {
			return decode(input, inflate), true
		}
		return mixed(append(filesOf(args), input)...), true

	case "uudecode":
		return decode(input, decodeOther), true

	case "environment":
		return environment(name, args), true

	case "clipboard":
		return Value{}.from(Private, "clipboard"), true

	case "selection":
		if flagged(args, "o") || len(args) > 0 && strings.Contains(args[len(args)-1].Text, "o") {
			return Value{}.from(Private, "clipboard"), true
		}
		return Value{}, true

	case "screen":
		for _, a := range args {
			if !strings.HasPrefix(a.Text, "-") {
				r.store(a, Value{}.from(Private, "screen"))
			}
		}
		return Value{}.from(Private, "screen"), true

	case "history":
		return Value{}.from(Private, "history"), true

	case "keychain":
		return keychain(args), true

	case "secret":
		return Value{}.from(Secret, name), true

	case "dump":
		return Value{}.from(Machine, DatabaseDump), true

	case "identity":
		return Value{}.from(Identity, name), true

	case "tee":
		for _, f := range args {
			if !strings.HasPrefix(f.Text, "-") {
				r.write(f, input)
			}
		}
		return input, true

	case "copy":
		r.copied(args)
		return Value{}, true

	case "temporary":
		return known("/tmp/" + unknown + strconv.Itoa(r.at)), true

	case "archive":
		if r.unpacked(name, args, input) {
			return Value{}, true
		}
		return r.archived(included(args), input), true

	case "text":
		return mixed(append(filesOf(args), input)...), true

	case "nothing":
		return Value{}, true
	}
	return Value{}, false
}

func (r *notes) printed(name string, v Value) Value {
	r.act(Act{Kind: Print, Name: name, Data: v})
	return v
}

func unescaped(args []Value) []Value {
	out := make([]Value, len(args))
	for i, a := range args {
		text, hid := unescape(a.Text)
		a.Text, a.Disguised = text, a.Disguised || hid
		out[i] = a
	}
	return out
}

// printed fills in a format as far as %s and escapes go.
func printed(args []Value) Value {
	if len(args) == 0 {
		return Value{}
	}
	format := unescaped(args[:1])[0]
	rest := args[1:]
	if !strings.Contains(format.Text, "%") {
		return format.with(rest...)
	}
	pieces := strings.Split(format.Text, "%s")
	out := []Value{known(pieces[0])}
	for i, p := range pieces[1:] {
		if i < len(rest) {
			out = append(out, rest[i])
		}
		out = append(out, known(p))
	}
	v := join("", out...).with(format).with(rest...)
	v.Known = v.Known && len(rest) < len(pieces)
	return v
}

// filesOf returns the contents of the files that args name.
func filesOf(args []Value) []Value {
	var out []Value
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			out = append(out, file(a))
		}
	}
	return out
}

func (r *memory) contents(name string, args []Value, input Value) Value {
	var out []Value
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") && a.Text != "-" || a.Text == "" && a.choices == nil {
			continue
		}
		a.Text = strings.TrimPrefix(a.Text, "if=")
		if stored, ok := r.files[a.Text]; ok {
			out = append(out, stored)
			continue
		}
		if a.ref == "substituted" {
			out = append(out, a)
			continue
		}
		out = append(out, file(a))
	}
	switch {
	case len(out) == 0:
		return input
	case len(out) == 1 && name == "cat":
		return out[0]
	}
	return mixed(append(out, input)...)
}

// flagged reports whether a short option with the letter, or the long option,
// is given.
func flagged(args []Value, letter string) bool {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.Contains(a.Text, letter) {
			return true
		}
	}
	return false
}

func environment(name string, args []Value) Value {
	for _, a := range args {
		if name == "printenv" && identifier(a.Text) {
			return variable(a.Text)
		}
	}
	if name == "set" && len(args) > 0 || name == "export" && len(args) > 0 && args[0].Text != "-p" || name == "declare" && len(args) > 0 && args[0].Text != "-x" && args[0].Text != "-p" || name == "compgen" {
		return Value{}
	}
	return Value{}.from(Environment, "environment")
}

// keychain returns the output of the client of the system's keychain. A named entry is the
// secret of that service; anything else is the whole keychain.
func keychain(args []Value) Value {
	for i := 1; i+1 < len(args); i++ {
		service := args[i+1].Text
		if strings.HasPrefix(args[0].Text, "find-") && args[i].Text == "-s" && args[i+1].Known && !strings.Contains(strings.ToLower(service), "safe storage") {
			name := strings.Map(func(r rune) rune {
				if r == '-' || r == '.' || r == ' ' || r == '/' || r == ':' {
					return '_'
				}
				return r
			}, strings.ToUpper(service))
			return Value{}.from(Secret, name+"_PASSWORD")
		}
	}
	if len(args) > 0 && (strings.HasPrefix(args[0].Text, "find-") || args[0].Text == "dump-keychain" || args[0].Text == "export") {
		return Value{}.from(KeyFile, "keychain")
	}
	return Value{}
}
