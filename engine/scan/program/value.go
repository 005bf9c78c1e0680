package program

import (
	"slices"
	"strings"
)

// Origin says where data came from; a value may have several.
type Origin uint16

const (
	// Environment is all of the environment at once.
	Environment Origin = 1 << iota
	// Secret is an environment variable that is named like a key.
	Secret
	// KeyFile is a file that holds keys.
	KeyFile
	// Private is data that a person said, typed, copied or visited.
	Private
	// Fetched came over the network.
	Fetched
	// Decoded was decoded from something unreadable.
	Decoded
	// Encoded was encoded or encrypted.
	Encoded
	// Identity names the machine or its user.
	Identity
	// Dropped is a file in a place where programs hide their files.
	Dropped
	// Settings is a whole file of settings, a program's own or its agent's, which
	// keeps keys among other things.
	Settings
	// Setting is one value out of such a file.
	Setting
	// Handed is data from the caller of the program: an argument or the standard
	// input.
	Handed
	// Account is a file that lists the accounts of the machine.
	Account
	// Machine is another file of the machine or its user that the program names itself.
	Machine
	// Token is a file in which a tool keeps its login to a service.
	Token
)

// DatabaseDump is the name of all that a database holds.
const DatabaseDump = "database"

// Value is the known part of a piece of data.
type Value struct {
	// Text is the data as far as it is known; unknown marks each unknown part.
	Text string
	// Origin is where any part of it came from.
	Origin Origin
	// Known says that Text is all of it.
	Known bool
	// Login says that the value is sent as a login: a header or a client's key.
	Login bool
	// Disguised says that the spelling hid letters of Text.
	Disguised bool
	// number says that the value is a number, which + adds.
	number bool
	// Names are the secrets and files that it came from, at most maxNames.
	Names []string
	// Logins are the secrets in the part of the value that is sent as a login.
	Logins []string
	// Key is the keyword or field that holds the value, if any.
	Key string
	// ref is the dotted name of a function or module that the value is.
	ref string
	// items are the elements of a list.
	items []Value
	// choices are the constants that the value may be; it is one of them.
	choices []string
	// buffer names a file in memory; data written into it is kept by that name.
	buffer string
	// via is the command line that wrote it, if a command did.
	via string
}

const (
	maxNames = 8
	// maxText bounds a text that is put together, in bytes.
	maxText = 64 << 10
	// maxJoined bounds, in bytes, a text joined from several values: a program can
	// join repeatedly.
	maxJoined = 8 << 10
	// maxItems bounds the elements of a list that are kept.
	maxItems = 4096
	// maxChoices bounds the constants that a value may be, maxChoice each of them in bytes.
	maxChoices, maxChoice = 16, 256
	// unknown marks an unknown part of a text.
	unknown = "\u2026"
)

func known(text string) Value { return Value{Text: clip(text), Known: len(text) <= maxText} }

func clip(text string) string {
	if len(text) > maxText {
		return text[:maxText]
	}
	return text
}

// Has reports whether any part of v came from one of o.
func (v Value) Has(o Origin) bool { return v.Origin&o != 0 }

// Below reports whether v is, or may be, a path for which is holds.
func (v Value) Below(is func(string) bool) bool {
	return is(v.Text) || slices.ContainsFunc(v.choices, is)
}

// with returns v with the origins and names of others added.
func (v Value) with(others ...Value) Value {
	for _, o := range others {
		v.Origin |= o.Origin
		v.Disguised = v.Disguised || o.Disguised
		v.Names = addNames(v.Names, o.Names)
		v.Logins = addNames(v.Logins, o.Logins)
	}
	return v
}

func (v Value) from(o Origin, name string) Value {
	v.Origin |= o
	if name != "" {
		v.Names = addNames(v.Names, []string{name})
	}
	return v
}

func addNames(names, more []string) []string {
	for _, n := range more {
		if len(names) < maxNames && !slices.Contains(names, n) {
			names = append(slices.Clip(names), n)
		}
	}
	return names
}

// join puts values together into one text.
func join(sep string, parts ...Value) Value {
	out := Value{Known: true}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(sep)
		}
		out = out.with(p)
		out.Known = out.Known && p.Known
		if b.Len()+len(p.shown()) > maxJoined && len(parts) > 1 {
			out.Known = false
			break
		}
		b.WriteString(p.shown())
	}
	out.Text = b.String()
	if slices.ContainsFunc(parts, func(p Value) bool { return p.choices != nil }) {
		out.choices = joinedChoices(sep, parts)
	}
	return out
}

// joinedChoices returns the texts that parts can make together, if some of them are one
// of several constants.
func joinedChoices(sep string, parts []Value) []string {
	texts := []string{""}
	for i, p := range parts {
		options := p.choices
		if options == nil {
			text := p.shown()
			options = []string{text[:min(len(text), maxChoice)]}
		}
		if i > 0 && sep != "" {
			for k := range texts {
				texts[k] += sep
			}
		}
		options = options[:max(1, min(len(options), maxChoices/len(texts)))]
		next := make([]string, 0, len(texts)*len(options))
		for _, t := range texts {
			for _, o := range options {
				next = append(next, t+o)
			}
		}
		if texts = next; len(texts[0]) > maxChoice {
			return nil
		}
	}
	return texts
}

// leaves appends the constants in a list, and in the lists inside it, to out.
func leaves(items []Value, out []string) []string {
	for _, v := range items {
		switch {
		case len(out) >= maxChoices:
			return out
		case v.items != nil:
			out = leaves(v.items, out)
		case v.Text != "" && len(v.Text) <= maxChoice:
			out = append(out, v.Text)
		}
	}
	return out
}

// shown returns the text of v, or unknown if v has neither a text nor a known value.
func (v Value) shown() string {
	if v.Text == "" && !v.Known {
		return unknown
	}
	return v.Text
}

// picked returns one value out of v. One value of a file of settings is a Setting, not Settings.
func (v Value) picked() Value {
	if v.Has(Settings) {
		v.Origin = v.Origin&^Settings | Setting
	}
	return v
}

// mixed is unknown data made of parts.
func mixed(parts ...Value) Value { return Value{}.with(parts...) }
