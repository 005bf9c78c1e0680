package program

import (
	"strconv"
	"strings"
)

// apply reads a call of the function ref, or of recv if ref is unknown, with args.
// from is the index of the token behind the opening bracket.
func (s *expressionReader) apply(ref string, recv Value, args []Value, from int) Value {
	ref = plainRef(ref)
	if end := min(s.i, len(s.tokens)) - 1; from >= 2 && end >= from-2 && s.reader.depth == 0 && !s.embeddedText {
		s.place(s.tokens[from-2].at, s.tokens[end].end)
	}
	if ref != "" {
		s.act(Act{Kind: Call, Name: ref, Args: args})
		s.callLine(ref, args, recv)
	}
	if oneWay(ref) && s.params[ref[strings.LastIndexByte(ref, '.')+1:]] == nil {
		return Value{}
	}
	if out, ok := s.lookup(ref, args, from); ok {
		return out
	}
	if out, ok := s.decoded(ref, recv, args); ok {
		return out
	}
	if out, ok := s.runs(ref, args); ok {
		return out
	}
	if out, ok := s.storage(ref, recv, args); ok {
		return out
	}
	if out, ok := s.sends(ref, args); ok {
		return out
	}
	name := ref[strings.LastIndexByte(ref, '.')+1:]
	if out, ok := s.vars[name+"()"]; ok && name != "" {
		s.pass(name, args)
		passed := withoutLogins(args)
		if out.Has(Secret) && !out.Has(Environment) {
			// It picks its key out of the environment that it is handed.
			for i := range passed {
				passed[i] = passed[i].only(passed[i].Origin &^ Environment)
			}
		}
		return out.with(passed...)
	}
	if s.params[name] != nil {
		s.pass(name, args)
	}
	if recv.items != nil || recv.Text != "" || recv.Known {
		if out, ok := s.textMethod(recv, name, args); ok {
			return out
		}
	}
	out := mixed(append(withoutLogins(args), recv)...)
	if out.Has(Environment) && (name == "get" || name == "len" || name == "bool" || name == "isinstance" || name == "has") {
		out.Origin &^= Environment
	}
	if len(ref) < 200 && ref != "" {
		out.ref = ref + "()"
	}
	return out
}

// oneWay reports whether a function's result does not give back the key that it
// was handed: signatures and digests.
func oneWay(ref string) bool {
	switch name := strings.TrimSuffix(ref[strings.LastIndexByte(ref, '.')+1:], "()"); name {
	case "sign", "sign_message", "sign_typed_data", "sign_transaction", "signMessage", "signTypedData", "signTransaction", "hexdigest", "digest", "privateKeyToAccount", "from_key", "sha256", "sha512":
		return true
	}
	return ref == "hmac.new" || ref == "jwt.encode" || ref == "jwt.sign" || ref == "crypto.createHmac" || ref == "createHmac"
}

// withoutLogins drops secrets from arguments that are logins: a client that is
// made with a key does not send the key as data.
func withoutLogins(args []Value) []Value {
	out := make([]Value, 0, len(args))
	for _, a := range args {
		if loginKey(a.Key) || a.Key == "token" || a.Key == "password" || a.Key == "env" {
			a = a.only(a.Origin &^ Secret &^ Environment)
		}
		a.Key = ""
		out = append(out, a)
	}
	return out
}

// callLine writes a call plainly where its spelling hid something.
func (s *library) callLine(ref string, args []Value, recv Value) {
	disguised := recv.Disguised
	var b strings.Builder
	b.WriteString(ref + "(")
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Key != "" && a.items == nil {
			b.WriteString(a.Key + "=")
		}
		switch {
		case a.Known:
			b.WriteString(`"` + a.Text[:min(len(a.Text), 2000)] + `"`)
		case a.ref != "":
			b.WriteString(a.ref)
		default:
			b.WriteString(a.shown()[:min(len(a.shown()), 2000)])
		}
		disguised = disguised || a.Disguised
		if b.Len() > 4000 {
			break
		}
	}
	b.WriteString(")")
	if disguised {
		s.line(b.String(), true)
	}
}

// lookup reads calls that only name something: modules, attributes, variables.
func (s *expressionReader) lookup(ref string, args []Value, from int) (Value, bool) {
	first := Value{}
	if len(args) > 0 {
		first = args[0]
	}
	switch lookups()[ref] {
	case "module":
		s.loads(ref, args)
		if ref == "import" && s.lang == JavaScript && (first.Has(Fetched|Decoded) || remoteModule(first.Text)) {
			s.act(Act{Kind: Run, Name: "import", Data: first.from(Fetched, first.Text)})
		}
		if !first.Known {
			return mixed(first), true
		}
		s.imports(first.Text, from)
		out := Value{ref: module(first.Text), Disguised: first.Disguised}
		if ref == "__import__" && len(args) < 4 {
			// Without a list of names, __import__ returns the outermost package.
			out.ref, _, _ = strings.Cut(out.ref, ".")
		}
		return out, true

	case "attribute":
		if len(args) > 1 && args[1].Known {
			out := s.member(Value{ref: orSelf(first.ref)}, args[1].Text)
			out.Disguised = out.Disguised || args[1].Disguised
			return out, true
		}
		return mixed(args...), true

	case "namespace":
		if first.ref != "" {
			return first, true
		}
		return Value{ref: "__builtins__"}, true

	case "one variable":
		if first.Known && first.Text != "" {
			return variable(first.Text), true
		}
		return mixed(first).from(Secret, "environment"), true

	case "all variables":
		if strings.HasPrefix(ref, "os.") || strings.HasPrefix(ref, "Deno") {
			return Value{}.from(Environment, "environment"), true
		}
		return mixed(args...), true

	case "same value":
		if len(args) == 1 {
			first.ref, first.Key = "", ""
			if strings.HasPrefix(ref, "json") || strings.HasPrefix(ref, "JSON") {
				first.items = nil
			}
			return first, true
		}
		if ref == "path.resolve" || ref == "Path" || ref == "pathlib.Path" {
			return join("/", args...), true
		}

	case "entries":
		if len(args) == 1 && first.items != nil {
			first.ref, first.Key = "", ""
			return first, true
		}
		return mixed(args...), true

	case "path":
		return join("/", args...), true

	case "memory file":
		if len(args) == 0 {
			return Value{ref: "io.BytesIO()", buffer: "in memory, at " + strconv.Itoa(from)}, true
		}
		first.ref, first.Key = "", ""
		return first, true

	case "temporary path":
		return temporary(from), true

	case "temporary file":
		return Value{ref: "open()", items: []Value{temporary(from)}}, true

	case "temporary pair":
		return Value{items: []Value{{}, temporary(from)}}, true

	case "home":
		return known("~"), true

	case "handed over":
		if ref != "prompt" && s.lang != Python {
			return Value{}, false
		}
		return Value{Origin: Handed}, true

	case "identity":
		return Value{}.from(Identity, ref), true

	case "private":
		return Value{}.from(Private, ref), true

	case "key store":
		return Value{}.from(KeyFile, ref), true

	case "session":
		return Value{ref: ref + "()"}, true
	}
	return Value{}, false
}

// remoteModule reports whether a module is loaded over the network while the program runs.
func remoteModule(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

// temporary returns a path that the machine chooses. The call at index from always gets
// the same path.
func temporary(from int) Value { return known("/tmp/" + unknown + strconv.Itoa(from)) }

func orSelf(ref string) string {
	if ref == "" {
		return "__builtins__"
	}
	return ref
}

// decoded knows the decoders of both languages, and makers of characters.
func (s *library) decoded(ref string, recv Value, args []Value) (Value, bool) {
	first := Value{}
	if len(args) > 0 {
		first = args[0]
	}
	switch decoders()[ref] {
	case "base64":
		return decode(first, decodeBase64), true

	case "base32":
		return decode(first, decodeBase32), true

	case "other":
		if ref == "base64.b16decode" {
			return decode(first, decodeHex), true
		}
		return decode(first, decodeOther), true

	case "hex":
		return decode(first, decodeHex), true

	case "compressed":
		return decode(first, inflate), true

	case "codec":
		how := Value{}
		if len(args) > 1 {
			how = args[1]
		}
		return decodeMethod(first, "decode", []Value{how}), true

	case "buffer":
		if len(args) > 1 {
			return decodeMethod(first, "decode", args[1:2]), true
		}
		if first.items != nil {
			return characters(first.items), true
		}
		return first, true

	case "url":
		return decode(first, decodeURL), true

	case "encodes":
		return mixed(first).from(Encoded, ""), true

	case "character":
		return character(first), true

	case "code point":
		if first.Known && len(first.Text) == 1 {
			return numberValue(int(first.Text[0])), true
		}
		return mixed(first), true

	case "number":
		return first, true

	case "characters":
		return characters(args), true

	case "bytes":
		if first.items != nil {
			return characters(first.items), true
		}
		return first, true

	case "map":
		if len(args) > 1 && first.ref == "chr" && args[1].items != nil {
			out := mixed(args[1])
			for _, item := range args[1].items {
				out.items = append(out.items, character(item))
			}
			return out, true
		}

	case "reversed":
		return reversed(first), true

	case "compile":
		return first, true
	}
	if strings.HasSuffix(ref, ".encrypt") {
		return mixed(append(args, recv)...).from(Encoded, ""), true
	}
	if strings.HasSuffix(ref, ".decrypt") {
		return decode(mixed(append(args, recv)...), decodeOther), true
	}
	return Value{}, false
}
