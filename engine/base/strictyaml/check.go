package strictyaml

import (
	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/diag"
)

// mostProblems bounds the problems reported for one file: more would help no reader, and an
// attacker could cause a million.
const mostProblems = 100

// checker walks the parsed nodes once, before decoding.
type checker struct {
	lim    Limits
	doc    *Doc
	diags  *diag.List
	count  int
	fatal  bool // the tree must not be walked again
	refs   []*yaml.Node
	onPath map[*yaml.Node]bool
}

func (c *checker) pos(n *yaml.Node) diag.Pos { return c.doc.lines.mark(n.Line, n.Column) }

func (c *checker) node(n *yaml.Node, depth int) {
	if c.fatal = c.fatal || len(*c.diags) >= mostProblems; c.fatal {
		return
	}
	//defence:yaml-values
	if c.count++; c.count > c.lim.Nodes {
		c.fatal = true
		c.diags.Errorf(RuleSize, c.pos(n), "split the file", "more than %d keys and values", c.lim.Nodes)
		return
	}
	//defence:yaml-tag
	if n.Style&yaml.TaggedStyle != 0 {
		c.diags.Errorf(RuleTag, c.pos(n), "remove the tag; put text in quotes", "explicit tag %s", clip(n.Tag))
	}
	switch n.Kind {
	case yaml.ScalarNode:
		//defence:yaml-value-size
		if len(n.Value) > c.lim.Scalar {
			c.diags.Errorf(RuleSize, c.pos(n), "move the content to a file of its own",
				"a value of %d bytes, more than the %d allowed", len(n.Value), c.lim.Scalar)
		}
	case yaml.AliasNode:
		c.refs = append(c.refs, n)
	case yaml.MappingNode, yaml.SequenceNode:
		c.collection(n, depth)
	}
}

func (c *checker) collection(n *yaml.Node, depth int) {
	//defence:yaml-depth
	if depth > c.lim.Depth {
		c.fatal = true
		c.diags.Errorf(RuleDepth, c.pos(n), "flatten the structure", "nested more than %d levels deep", c.lim.Depth)
		return
	}
	entries := len(n.Content)
	if n.Kind == yaml.MappingNode {
		entries /= 2
	}
	//defence:yaml-entries
	if entries > c.lim.Entries {
		c.fatal = true
		c.diags.Errorf(RuleSize, c.pos(n), "split the file", "a list or mapping of %d entries, more than the %d allowed", entries, c.lim.Entries)
		return
	}
	if n.Kind == yaml.MappingNode {
		c.keys(n)
	}
	for _, child := range n.Content {
		c.node(child, depth+1)
	}
}

func (c *checker) keys(n *yaml.Node) {
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content) && len(*c.diags) < mostProblems; i += 2 {
		k := n.Content[i]
		switch {
		case k.Kind != yaml.ScalarNode, k.Tag == "!!null":
			c.diags.Errorf(RuleKey, c.pos(k), "use a plain word as the key", "a key must be text")
			continue
		//defence:yaml-merge-key
		case k.Tag == "!!merge":
			c.diags.Errorf(RuleKey, c.pos(k), "write the fields out", "the merge key << is not supported")
			continue
		}
		//defence:yaml-duplicate
		if first, dup := seen[k.Value]; dup {
			c.diags.Errorf(RuleDuplicate, c.pos(k), "remove one of the two",
				"the key %q is repeated; it was set on line %d", clip(k.Value), c.pos(first).Line)
			continue
		}
		seen[k.Value] = k
	}
}

// aliases sums the sizes of all aliases, up to the limit: a few lines of nested aliases can
// otherwise expand to billions of values.
func (c *checker) aliases() {
	if c.fatal {
		return
	}
	budget := c.lim.AliasExpansion
	c.onPath = map[*yaml.Node]bool{}
	for _, ref := range c.refs {
		//defence:yaml-alias
		if !c.expand(ref, &budget, c.lim.Depth) {
			c.fatal = true
			c.diags.Errorf(RuleAlias, c.pos(ref), "write the value out instead of using '*'",
				"the alias *%s expands into itself, too deeply, or to more than %d values in all", clip(ref.Value), c.lim.AliasExpansion)
			return
		}
	}
}

func (c *checker) expand(n *yaml.Node, budget *int, depth int) bool {
	if *budget--; *budget < 0 || depth < 0 {
		return false
	}
	if n.Kind == yaml.AliasNode {
		if c.onPath[n.Alias] {
			return false
		}
		c.onPath[n.Alias] = true
		defer delete(c.onPath, n.Alias)
		return c.expand(n.Alias, budget, depth-1)
	}
	for _, child := range n.Content {
		if !c.expand(child, budget, depth-1) {
			return false
		}
	}
	return true
}

// clip shortens untrusted text for a message.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
