package strictyaml

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// class is the meaning of an unquoted scalar.
type class int

const (
	classText      class = iota // text to every reader
	classNull                   // null, ~ or nothing
	classBool                   // true or false
	classInt                    // a JSON integer
	classFloat                  // another JSON number
	classAmbiguous              // text to some readers, something else to others
)

var (
	jsonInt = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	// base60 matches numbers of YAML 1.1 such as 12:30:45.
	base60    = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
	jsonFloat = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// classify follows the JSON schema of YAML 1.2 for unambiguous scalars. It returns
// classAmbiguous for other spellings that YAML 1.1, 1.2 core or common readers treat as a
// boolean, number, date or null.
func classify(s string) class {
	switch {
	case spellsNull(s):
		return classNull
	case s == "true", s == "false":
		return classBool
	}
	switch {
	case jsonInt.MatchString(s):
		return classInt
	case jsonFloat.MatchString(s):
		return classFloat
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null":
		return classAmbiguous
	}
	//defence:one-meaning-for-scalars
	if base60.MatchString(s) {
		return classAmbiguous
	}
	if resolved := (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag(); resolved != "!!str" {
		return classAmbiguous
	}
	return classText
}

// spellsNull is a function of its own because every access to a node calls it.
func spellsNull(s string) bool { return s == "" || s == "~" || s == "null" }

func isQuoted(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && !isQuoted(n) && spellsNull(n.Value)
}

// parseNumber parses a JSON number; integers that fit stay integers.
func parseNumber(s string) (any, bool) {
	if jsonInt.MatchString(s) {
		i, err := strconv.ParseInt(s, 10, 64)
		return i, err == nil
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}
