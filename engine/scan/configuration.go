package scan

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/scan/program"
)

const (
	// maxConfiguration is the largest configuration that is taken apart, in bytes.
	maxConfiguration = 256 << 10
	// maxNodes bounds the entries of one that are looked at.
	maxNodes = 20_000
)

// readConfiguration reads the commands that a JSON, YAML or TOML text would have
// started: an entry "command" with its "args", hooks, scripts, build steps.
func readConfiguration(d *document, s span) []reading {
	text := d.text[s.start:s.end]
	base := s.start
	if !d.wholeData() {
		body := fenceBody(text, s.start)
		text, base = d.text[body.start:body.end], body.start
	}
	if len(text) > maxConfiguration || !containsAny(text, "command", "\"scripts\"", "run", "cmd", "script", "exec", "entrypoint", "hooks") || strings.Count(text, "*") > 200 && strings.Contains(text, "&") {
		return nil
	}
	c := &configuration{d: d, base: base, text: text}
	if strings.HasSuffix(d.path, ".toml") || strings.Contains(text, "\n[mcp") {
		c.toml()
		return c.found
	}
	if c.terraform() {
		return c.found
	}
	var root yaml.Node
	if deepText(text) || yaml.Unmarshal([]byte(stripComments(text)), &root) != nil {
		c.rough()
		return c.found
	}
	c.node(&root, "", 0)
	return c.found
}

// wholeData reports whether the document is a configuration as a whole.
func (l *layout) wholeData() bool { return l.whole && l.regions[0].place == data }

// configuration gathers the commands of one text.
type configuration struct {
	d     *document
	base  int
	text  string
	lines []int
	nodes int
	found []reading
}

// node looks for commands below n, the value of key.
func (c *configuration) node(n *yaml.Node, key string, depth int) {
	if c.nodes++; c.nodes > maxNodes || depth > 40 || len(c.found) > 500 {
		return
	}
	switch n.Kind {
	case yaml.DocumentNode, yaml.SequenceNode:
		for _, child := range n.Content {
			c.node(child, key, depth+1)
		}
	case yaml.MappingNode:
		c.mapping(n, key, depth)
	}
}

func (c *configuration) mapping(n *yaml.Node, key string, depth int) {
	var command, args, env *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, n.Content[i+1]
		switch strings.ToLower(name) {
		case "command", "cmd", "entrypoint":
			command = value
		case "args", "arguments":
			args = value
		case "env", "environment", "headers":
			env = value
		case "run", "script", "exec", "shell", "bash", "postcreatecommand", "oncreatecommand", "poststartcommand", "apikeyhelper", "statusline", "initialcommand", "setup", "install", "preinstall", "postinstall":
			if value.Kind == yaml.ScalarNode {
				c.shellText(value)
			}
		}
		if key == "scripts" && value.Kind == yaml.ScalarNode && n.Kind == yaml.MappingNode {
			c.shellText(value)
		}
		c.node(value, strings.ToLower(name), depth+1)
	}
	if command != nil {
		c.command(command, args, env)
	}
}

// command reads one entry that starts a program.
func (c *configuration) command(command, args, env *yaml.Node) {
	var words []string
	if command.Kind == yaml.SequenceNode {
		words = scalars(command)
	} else if command.Kind == yaml.ScalarNode {
		words = []string{command.Value}
	}
	given := scalars(args)
	if len(words) == 0 || words[0] == "" {
		return
	}
	var r reading
	if len(words) == 1 && len(given) == 0 {
		r.Reading = program.Read(words[0], program.Shell)
	} else {
		r.Reading = program.ReadCommand(append(words, given...), strings.Join(append(words, given...), " "))
	}
	if env != nil && env.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(env.Content); i += 2 {
			r.env = append(r.env, env.Content[i].Value)
		}
	}
	r.server = args != nil || env != nil
	c.add(r, command)
}

func (c *configuration) shellText(n *yaml.Node) {
	if n.Tag == "!!str" && n.Value != "" {
		c.add(reading{Reading: program.Read(n.Value, program.Shell)}, n)
	}
}

// add appends a reading with the offsets of its node.
func (c *configuration) add(r reading, n *yaml.Node) {
	r.base, r.end = c.place(n.Line, n.Column)
	c.found = append(c.found, r)
}

// place converts a line and column of the text to offsets in the document.
func (c *configuration) place(line, column int) (start, end int) {
	if c.lines == nil {
		c.lines = []int{0}
		for i := range len(c.text) {
			if c.text[i] == '\n' {
				c.lines = append(c.lines, i+1)
			}
		}
	}
	if line < 1 || line > len(c.lines) {
		return c.base, c.base
	}
	at := min(c.lines[line-1]+max(column, 1)-1, len(c.text))
	to := len(c.text)
	if line < len(c.lines) {
		to = c.lines[line] - 1
	}
	return c.base + at, c.base + max(at, to)
}

func scalars(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	var out []string
	for _, child := range n.Content {
		if child.Kind == yaml.ScalarNode && len(out) < 200 {
			out = append(out, child.Value)
		}
	}
	return out
}

// deepText reports whether brackets nest deeper than any configuration's.
func deepText(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			if depth++; depth > 100 {
				return true
			}
		case '}', ']':
			depth = max(0, depth-1)
		}
	}
	return false
}

// stripComments blanks lines that JSON with comments begins with two slashes.
func stripComments(text string) string {
	if !strings.Contains(text, "//") || !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return strings.ReplaceAll(text, "\t", " ")
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "//") {
			lines[i] = ""
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\t", " ")
}

var (
	tomlCommand = expr(`(?m)^\s*"?command"?\s*[=:]\s*["']([^"'\n]*)["']`)
	tomlArgs    = expr(`(?s)^[^\[]{0,400}?\n?\s*"?args"?\s*[=:]\s*\[([^\]]*)\]`)
	tomlString  = expr(`"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'`)
)

// toml reads command and args of a TOML table by their shape.
func (c *configuration) toml() { c.rough() }

// rough finds commands in a text that does not parse.
func (c *configuration) rough() {
	for _, loc := range tomlCommand.FindAllStringSubmatchIndex(c.text, 200) {
		words := []string{c.text[loc[2]:loc[3]]}
		rest := c.text[loc[1]:min(len(c.text), loc[1]+4000)]
		if a := tomlArgs.FindStringSubmatch(rest); a != nil {
			for _, w := range tomlString.FindAllStringSubmatch(a[1], 100) {
				words = append(words, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(w[1]+w[2]))
			}
		}
		r := reading{base: c.base + loc[2], end: c.base + loc[3], server: true}
		if len(words) == 1 {
			r.Reading = program.Read(words[0], program.Shell)
		} else {
			r.Reading = program.ReadCommand(words, strings.Join(words, " "))
		}
		c.found = append(c.found, r)
	}
}
