package capability

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/pattern"
	"github.com/assent-dev/assent/engine/base/plaintext"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// The forms of words in a record, the same as in the published schema.
var (
	secretShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`) })
	binShape    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`) })
	hostShape   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?:([1-9][0-9]{0,4})$`)
	})
	wordShape     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*([-_:.][a-z0-9]+)*$`) })
	currencyShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]{3}$`) })
)

const (
	maxWord = 64
	maxText = 1000
)

// IsSecret reports whether s is a valid name of a secret, an environment variable.
func IsSecret(s string) bool { return secretShape().MatchString(s) }

// IsHost reports whether s is a host as host:port in lower case.
func IsHost(s string) bool {
	m := hostShape().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	port, err := strconv.Atoi(m[1])
	return err == nil && port <= 65535 && len(s) <= 259
}

// IsTag reports whether s is a valid tag of a record or a context: a lower-case word such
// as csv.
func IsTag(s string) bool { return wordShape().MatchString(s) && len(s) <= maxWord }

// isLine reports whether s is one line of text without blanks around it, in which nothing is hidden.
func isLine(s string) bool {
	_, control := plaintext.Control(s)
	hidden := strings.ContainsFunc(s, func(r rune) bool { return plaintext.Unseen(r) || plaintext.LineEnd(r) || plaintext.Blank(r) })
	return s != "" && s == strings.TrimSpace(s) && len(s) <= maxText && !control && !hidden
}

// recordCheck checks one decoded record.
type recordCheck struct {
	r    Record
	doc  *strictyaml.Doc
	name string // of the folder
	out  *diag.List
	// patterns is for the expressions and schemas of this file.
	patterns *pattern.Budget
}

func (c recordCheck) refuse(rule, fix, message string, at ...any) {
	c.out.Errorf(rule, c.doc.Pos(at...), fix, "%s", message)
}

func (c recordCheck) all() {
	c.required()
	c.words()
	c.texts()
	c.relations()
	c.cost()
	c.run()
	c.schemas()
	c.errors()
}

func (c recordCheck) required() {
	for _, key := range []string{"kind", "version"} {
		if c.doc.Root().Get(key).Kind() <= strictyaml.Null {
			c.refuse(RuleRecordField, "add "+key+":", "the record has no "+key, key)
		}
	}
}

func (c recordCheck) words() {
	one := func(s string) []string {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	for _, l := range []struct {
		words []string
		valid func(string) bool
		want  string
		path  []any
	}{
		{one(c.r.Implements), names.IsName, "a capability's name", []any{"implements"}},
		{one(c.r.Supersedes), names.IsName, "a capability's name", []any{"supersedes"}},
		{one(c.r.Category), names.IsName, "a name such as data", []any{"category"}},
		{c.r.Tags, IsTag, "a lower-case word such as csv", []any{"tags"}},
		{c.r.AppliesTo, names.IsName, "a capability's name", []any{"applies_to"}},
		{c.r.Models, IsModel, "a model's name, or the beginning of one with * behind it, such as claude-haiku-*", []any{"models"}},
		{c.r.Requires.Capabilities, names.IsName, "a capability's name", []any{"requires", "capabilities"}},
		{c.r.Requires.Optional, names.IsName, "a capability's name", []any{"requires", "optional"}},
		{c.r.Enhances, names.IsName, "a capability's name", []any{"enhances"}},
		{c.r.Requires.Secrets, IsSecret, "an environment variable such as API_TOKEN", []any{"requires", "secrets"}},
		{c.r.Requires.Bins, binShape().MatchString, "a program's name such as ffmpeg", []any{"requires", "bins"}},
		{c.r.Requires.Hosts, IsHost, "host:port such as api.example.com:443", []any{"requires", "hosts"}},
		{c.r.SideEffects, isLine, fmt.Sprintf("a word such as network, or one line of at most %d bytes", maxText), []any{"side_effects"}},
		{c.r.Permissions, isLine, fmt.Sprintf("a word such as camera, or one line of at most %d bytes", maxText), []any{"permissions"}},
		{c.r.Agents.Allow, names.IsName, "an agent's name", []any{"agents", "allow"}},
		{c.r.Agents.Deny, names.IsName, "an agent's name", []any{"agents", "deny"}},
	} {
		c.list(l.words, l.valid, l.want, l.path)
	}
}

func (c recordCheck) list(words []string, valid func(string) bool, want string, at []any) {
	seen := make(map[string]bool, len(words))
	for i, w := range words {
		switch {
		case !valid(w):
			c.refuse(RuleRecordValue, "write "+want, fmt.Sprintf("%q is not %s", clip(w), want), append(slices.Clone(at), i)...)
		case seen[w]:
			c.refuse(RuleRecordValue, "remove it", fmt.Sprintf("%q stands here twice", clip(w)), append(slices.Clone(at), i)...)
		}
		seen[w] = true
	}
}

func (c recordCheck) texts() {
	for key, texts := range map[string][]string{"limitations": c.r.Limitations, "changes": c.r.Changes} {
		for i, t := range texts {
			if strings.TrimSpace(t) == "" || len(t) > maxText {
				c.refuse(RuleRecordValue, "write one sentence", fmt.Sprintf("an entry of %s is empty or longer than %d bytes", key, maxText), key, i)
			}
		}
	}
}

// sandboxed reports whether the sandbox sets the variable, or whether it decides which
// code a program loads. A secret of such a name would change how programs run.
func sandboxed(name string) bool {
	switch name {
	case "PATH", "HOME", "TMPDIR", "LANG", "HTTP_PROXY", "HTTPS_PROXY", "NODE_USE_ENV_PROXY":
		return true
	}
	return strings.HasPrefix(name, "LD_")
}

// relations checks references to other capabilities, and fields that only some kinds
// have.
func (c recordCheck) relations() {
	own := names.Fold(c.name)
	for _, l := range []struct {
		names []string
		at    []any
		what  string
	}{
		{c.r.Requires.Capabilities, []any{"requires", "capabilities"}, "require"}, {c.r.Requires.Optional, []any{"requires", "optional"}, "require"},
		{c.r.Enhances, []any{"enhances"}, "enhance"},
	} {
		for i, n := range l.names {
			if names.Fold(n) == own {
				c.refuse(RuleRecordValue, "remove it", "a capability cannot "+l.what+" itself", append(slices.Clone(l.at), i)...)
			}
		}
	}
	for i, n := range c.r.Requires.Secrets {
		if sandboxed(n) {
			c.refuse(RuleRecordValue, "give the secret a name of its own, such as API_TOKEN", clip(n)+" is set by the sandbox itself", "requires", "secrets", i)
		}
	}
	for i, n := range c.r.Agents.Deny {
		if slices.Contains(c.r.Agents.Allow, n) {
			c.refuse(RuleRecordValue, "keep one of them", clip(n)+" is allowed and denied", "agents", "deny", i)
		}
	}
	for i, n := range c.r.Requires.Optional {
		if slices.Contains(c.r.Requires.Capabilities, n) {
			c.refuse(RuleRecordValue, "keep one of them", fmt.Sprintf("%s is required and optional", clip(n)), "requires", "optional", i)
		}
	}
	if c.r.Supersedes != "" && names.Fold(c.r.Supersedes) == own {
		c.refuse(RuleRecordValue, "name the older capability", "a capability cannot supersede itself", "supersedes")
	}
	if c.r.Supersedes == "" && c.r.Breaking {
		c.refuse(RuleRecordField, "add supersedes: with the older capability's name", "breaking says how this differs from what it supersedes, which is not named", "breaking")
	}
	if c.r.Breaking && len(c.r.Changes) == 0 {
		c.refuse(RuleRecordField, "add changes: with what callers have to do otherwise", "a breaking version does not say how it differs", "breaking")
	}
	if c.r.Kind != KindTool && c.r.Layer != "" {
		c.refuse(RuleRecordField, "remove layer:", "only tools have a layer", "layer")
	}
	if c.r.Kind != KindSkill && len(c.r.AppliesTo) > 0 {
		c.refuse(RuleRecordField, "remove applies_to:", "only skills apply to other capabilities", "applies_to")
	}
	if c.r.Kind != KindSkill && len(c.r.Models) > 0 {
		c.refuse(RuleRecordField, "remove models:", "only skills are for some models", "models")
	}
}

func (c recordCheck) cost() {
	if c.r.Cost == nil {
		return
	}
	if c.r.Cost.PerUse < 0 || math.IsInf(c.r.Cost.PerUse, 0) {
		c.refuse(RuleRecordValue, "write 0 or more", "a use cannot cost less than nothing", "cost", "per_use")
	}
	if !currencyShape().MatchString(c.r.Cost.Currency) {
		c.refuse(RuleRecordValue, "write a code such as USD", "the currency is no three-letter code", "cost", "currency")
	}
}

func (c recordCheck) errors() {
	for i, p := range c.r.ErrorPatterns {
		re, err := c.patterns.Compile(p.Match)
		if err != nil || p.Match == "" {
			c.refuse(RuleRecordValue, "write a regular expression in RE2 syntax, without look-around and back-references",
				fmt.Sprintf("match is no regular expression (%s)", reason(err)), "error_patterns", i, "match")
		}
		//defence:error-patterns-name-an-error
		if err == nil && p.Match != "" && slices.ContainsFunc(noError(), re.MatchString) {
			c.refuse(RuleRecordValue, "name words of the one error that is meant", "match fits every error, so that no failure would ever count", "error_patterns", i, "match")
		}
		if strings.TrimSpace(p.Means) == "" {
			c.refuse(RuleRecordField, "say what the error means", "the pattern has no meaning", "error_patterns", i)
		}
		if p.Type != "" && !IsTag(p.Type) {
			c.refuse(RuleRecordValue, "write a lower-case word such as timeout", fmt.Sprintf("%q is no kind of error", clip(p.Type)), "error_patterns", i, "type")
		}
		for j, text := range append([]string{p.Means, p.Fix, p.Prevention}, p.Solutions...) {
			if len(text) > maxText || j > 2 && strings.TrimSpace(text) == "" {
				c.refuse(RuleRecordValue, "write one sentence", fmt.Sprintf("a text of the pattern is empty or longer than %d bytes", maxText), "error_patterns", i)
			}
		}
	}
}

// noError returns meaningless texts: a pattern that matches one of them matches every
// error.
func noError() []string { return []string{"", "7", "zqjx vkwf"} }

func reason(err error) string {
	if err == nil {
		return "it is empty"
	}
	return clip(err.Error())
}
