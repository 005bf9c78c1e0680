package program

import (
	"strconv"
	"strings"
)

// filter knows programs that make or change data. It reports whether name is one.
func (r *reader) filter(name string, args []Value, input Value) (Value, bool) {
	switch name {
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
	case "cat", "less", "more", "head", "tail", "bat", "tac", "nl", "strings", "dd", "zcat", "gzcat", "type", "Get-Content", "gc":
		return r.contents(name, args, input), true
	case "base64", "base32", "gbase64":
		return encoded(args, input, name == "base32", r), true
	case "xxd", "hexdump", "od":
		if flagged(args, "r") {
			return decode(input.with(filesOf(args)...), decodeHex), true
		}
		return r.contents(name, args, input).from(Encoded, ""), true
	case "openssl":
		return openssl(args, input), true
	case "gpg", "age":
		return mixed(append(filesOf(args), input)...).from(Encoded, ""), true
	case "rev":
		out := decode(input, decodeReverse)
		out.Disguised = true
		return out, true
	case "tr":
		return translated(args, input), true
	case "gunzip", "gzip", "unxz", "bunzip2", "zlib-flate":
		if name != "gzip" || flagged(args, "d") {
			return decode(input, inflate), true
		}
		return mixed(append(filesOf(args), input)...), true
	case "uudecode":
		return decode(input, decodeOther), true
	case "env", "printenv", "set", "export", "declare", "compgen":
		return environment(name, args), true
	case "pbpaste", "wl-paste", "Get-Clipboard":
		return Value{}.from(Private, "clipboard"), true
	case "xclip", "xsel":
		if flagged(args, "o") || len(args) > 0 && strings.Contains(args[len(args)-1].Text, "o") {
			return Value{}.from(Private, "clipboard"), true
		}
		return Value{}, true
	case "screencapture", "scrot", "gnome-screenshot", "import", "grim":
		for _, a := range args {
			if !strings.HasPrefix(a.Text, "-") {
				r.store(a, Value{}.from(Private, "screen"))
			}
		}
		return Value{}.from(Private, "screen"), true
	case "history", "fc":
		return Value{}.from(Private, "history"), true
	case "security":
		return keychain(args), true
	case "secret-tool", "op", "pass", "bw", "vault", "kwallet-query":
		return Value{}.from(Secret, name), true
	case "whoami", "hostname", "id", "uname":
		return Value{}.from(Identity, name), true
	case "tee":
		for _, f := range args {
			if !strings.HasPrefix(f.Text, "-") {
				r.write(f, input)
			}
		}
		return input, true
	case "cp", "mv", "ln", "install":
		r.copied(args)
		return Value{}, true
	case "mktemp":
		return known("/tmp/" + unknown + strconv.Itoa(r.at)), true
	case "tar", "bsdtar", "unzip", "7z", "7za", "zip", "split", "ditto":
		if r.unpacked(name, args, input) {
			return Value{}, true
		}
		return r.archived(args, input), true
	case "grep", "egrep", "rg", "sed", "sort", "uniq", "cut", "jq", "yq", "wc", "fold", "paste", "column", "envsubst", "sqlite3", "ls":
		return mixed(append(filesOf(args), input)...), true
	case "true", "false", ":", "test", "[", "cd", "mkdir", "touch", "set -e", "sleep", "exit", "return", "shift", "local", "unset", "wait", "kill", "chmod", "rm", "git":
		return Value{}, true
	}
	return Value{}, false
}

func (r *reader) printed(name string, v Value) Value {
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

// filesOf are the contents of what args name.
func filesOf(args []Value) []Value {
	var out []Value
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			out = append(out, file(a))
		}
	}
	return out
}

func (r *reader) contents(name string, args []Value, input Value) Value {
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

func keychain(args []Value) Value {
	if len(args) > 0 && (strings.HasPrefix(args[0].Text, "find-") || args[0].Text == "dump-keychain" || args[0].Text == "export") {
		return Value{}.from(KeyFile, "keychain")
	}
	return Value{}
}
