package program

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// textMethod reads a call of a method of a string or list. It reports whether it
// follows the method name.
func (s *library) textMethod(v Value, name string, args []Value) (Value, bool) {
	first := Value{}
	if len(args) > 0 {
		first = args[0]
	}
	switch name {
	case "join":
		if s.lang == Python {
			return joinItems(v, first), true
		}
		if len(args) == 0 {
			first = known(",")
		}
		return joinItems(first, v), true
	case "split", "rsplit":
		return split(v, first, s.lang), true
	case "reverse", "toReversed":
		return reversed(v), true
	case "replace", "replaceAll":
		if len(args) >= 2 {
			return replace(v, args[0], args[1]), true
		}
	case "decode", "toString":
		return decodeMethod(v, name, args), true
	case "encode", "strip", "trim", "rstrip", "lstrip", "valueOf", "normalize", "toLowerCase", "lower", "toUpperCase", "upper", "expanduser", "resolve", "as_posix", "hex", "text", "read", "readlines", "readline", "splitlines", "trimEnd", "trimStart", "casefold":
		return trimmed(v, name), true
	case "format":
		return formatBraces(v, args), true
	case "concat":
		if v.items == nil {
			return join("", append([]Value{v}, args...)...), true
		}
	case "slice", "substring", "substr", "charAt", "at":
		return cutOut(v, name, args), true
	case "rglob", "glob", "iterdir":
		return join("/", append([]Value{v}, args...)...), true
	case "joinpath":
		return join("/", append([]Value{v}, args...)...), true
	case "charCodeAt", "indexOf", "length", "startsWith", "startswith", "endswith", "endsWith", "includes", "find", "index", "count", "isdigit", "exists", "is_file", "is_dir", "test":
		return Value{}, true
	case "read_text", "read_bytes", "arrayBuffer", "blob", "json":
		return file(v).with(v), true
	case "open":
		if v.Text == "" && !v.Known {
			break
		}
		return s.storage("open", Value{}, append([]Value{v}, args...))
	case "write_text", "write_bytes":
		s.written(name, v, first)
		s.store(v, first)
		return Value{}, true
	}
	return Value{}, false
}

// joinItems joins a list; letters that are joined one by one are a disguise.
func joinItems(sep, list Value) Value {
	if list.items == nil || !sep.Known {
		return mixed(sep, list)
	}
	out := join(sep.Text, list.items...).with(list)
	short := len(list.items) > 3
	for _, item := range list.items {
		short = short && utf8.RuneCountInString(item.Text) <= 3
	}
	out.Disguised = out.Disguised || short && sep.Text == ""
	return out
}

func split(v, sep Value, lang Language) Value {
	out := mixed(v)
	if !v.Known || len(v.Text) > 8192 {
		return out
	}
	var parts []string
	switch {
	case sep.Known && sep.Text == "" && lang == JavaScript:
		parts = strings.Split(v.Text, "")
	case sep.Known && sep.Text != "":
		parts = strings.Split(v.Text, sep.Text)
	case sep.Text == "":
		parts = strings.Fields(v.Text)
	}
	out.items = []Value{}
	for _, p := range parts {
		item := known(p)
		item.Disguised = v.Disguised
		item.Origin = v.Origin
		out.items = append(out.items, item)
	}
	return out
}

func replace(v, from, to Value) Value {
	if !v.Known || !from.Known || !to.Known || from.Text == "" || from.Text == "/" {
		return mixed(v, to)
	}
	out := known(strings.ReplaceAll(v.Text, from.Text, clip(to.Text))).with(v, to)
	if len(out.Text) > maxText {
		return mixed(v, to)
	}
	out.Disguised = out.Disguised || to.Text == "" && strings.Count(v.Text, from.Text) > 2
	return out
}

func decodeMethod(v Value, name string, args []Value) Value {
	if len(args) > 0 {
		switch strings.ToLower(args[0].Text) {
		case "base64", "base64url":
			if name == "toString" {
				return mixed(v).from(Encoded, "")
			}
			return decode(v, decodeBase64)
		case "hex":
			if name == "toString" {
				return mixed(v).from(Encoded, "")
			}
			return decode(v, decodeHex)
		case "rot13", "rot_13":
			return decode(v, decodeRot13)
		}
	}
	return v
}

func trimmed(v Value, name string) Value {
	switch name {
	case "lower", "toLowerCase", "casefold":
		v.Text = strings.ToLower(v.Text)
	case "upper", "toUpperCase":
		v.Text = strings.ToUpper(v.Text)
	case "strip", "trim", "rstrip", "lstrip", "trimEnd", "trimStart":
		v.Text = strings.TrimSpace(v.Text)
	case "hex":
		return mixed(v).from(Encoded, "")
	}
	v.Key = ""
	return v
}

func formatBraces(v Value, args []Value) Value {
	if !v.Known || strings.Count(v.Text, "{") > 100 {
		return mixed(append(args, v)...)
	}
	var parts []Value
	rest, n := v.Text, 0
	for {
		i := strings.IndexByte(rest, '{')
		j := -1
		if i >= 0 {
			j = strings.IndexByte(rest[i:], '}')
		}
		if j < 0 {
			parts = append(parts, known(rest))
			break
		}
		parts = append(parts, known(rest[:i]))
		name, _, _ := strings.Cut(rest[i+1:i+j], ":")
		rest = rest[i+j+1:]
		parts = append(parts, formatArgument(args, name, n))
		n++
	}
	return join("", parts...).with(v)
}

func formatArgument(args []Value, name string, n int) Value {
	if k, ok := number(name); ok {
		n = k
	} else if name != "" {
		for _, a := range args {
			if a.Key == name {
				return a
			}
		}
		return Value{}
	}
	if n < len(args) {
		return args[n]
	}
	return Value{}
}

func cutOut(v Value, name string, args []Value) Value {
	if !v.Known || len(args) == 0 {
		return mixed(v)
	}
	from, ok := whole(args[0].Text)
	to := len(v.Text)
	if len(args) > 1 {
		n, ok2 := whole(args[1].Text)
		ok = ok && ok2
		to = n
		if name == "substr" {
			to = from + n
		}
	}
	if name == "charAt" || name == "at" {
		to = from + 1
	}
	if !ok || from < 0 || from > len(v.Text) || to < from {
		return mixed(v)
	}
	out := known(v.Text[from:min(to, len(v.Text))]).with(v)
	out.Disguised = out.Disguised || len(out.Text) < 3
	return out
}

// whole reads a whole number as the languages write them.
func whole(s string) (int, bool) {
	if s == "" || len(s) > 12 || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 32)
	if err != nil {
		n, err = strconv.ParseInt(s, 10, 32)
	}
	return int(n), err == nil
}

func numberValue(n int) Value {
	v := known(strconv.Itoa(n))
	v.number = true
	return v
}

// character is chr(n).
func character(v Value) Value {
	n, ok := whole(v.Text)
	if !ok || n < 0 || n > 0x10ffff {
		return mixed(v)
	}
	out := known(string(rune(n))).with(v)
	out.Disguised = true
	return out
}

// characters is String.fromCharCode(...) or bytes([...]).
func characters(codes []Value) Value {
	parts := make([]Value, len(codes))
	for i, c := range codes {
		parts[i] = character(c)
	}
	out := join("", parts...)
	out.Disguised = len(parts) > 1
	return out
}
