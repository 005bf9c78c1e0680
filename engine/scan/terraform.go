package scan

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/scan/program"
)

// lateExpr returns an expression of package regexp that is compiled when it is first needed.
func lateExpr(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

var (
	hclBlock   = lateExpr(`(?m)^[ \t]*(?:resource|provisioner|data|module|locals|variable)\b[^\n{]*\{`)
	hclCommand = lateExpr(`(?m)^[ \t]*command[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|<<[-~]?"?(\w+)"?[ \t]*\n|(data\.http\.(\w+)\.\w+))`)
	hclLocal   = lateExpr(`\$\{(?:local|var)\.(\w+)\}`)
	hclEscape  = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `$${`, `${`)
)

// terraform finds the commands that Terraform runs on the machine where it is started. It reports
// whether the text is a Terraform configuration.
func (c *configuration) terraform() bool {
	if ext := path.Ext(c.d.path); ext != ".tf" && ext != ".hcl" && !hclBlock().MatchString(c.text) {
		return false
	}
	for _, loc := range hclCommand().FindAllStringSubmatchIndex(c.text, 200) {
		r := reading{base: c.base + loc[0], end: c.base + loc[1]}
		switch {
		case loc[2] >= 0:
			r.Reading = program.Read(c.filled(hclEscape.Replace(c.text[loc[2]:loc[3]])), program.Shell)
		case loc[4] >= 0:
			body := c.text[loc[1]:]
			if i := strings.Index(body, c.text[loc[4]:loc[5]]+"\n"); i >= 0 {
				body = body[:i]
			}
			r.Reading = program.Read(c.filled(body), program.Shell)
		default: // the answer of a server is the command
			from := program.Value{Origin: program.Fetched, Names: []string{c.text[loc[6]:loc[7]]}}
			r.Acts = []program.Act{{Kind: program.Run, Name: "local-exec", Data: from}}
		}
		c.found = append(c.found, r)
	}
	return true
}

// filled puts the constants of a text in the place of their names.
func (c *configuration) filled(text string) string {
	return hclLocal().ReplaceAllStringFunc(text, func(s string) string {
		if value := c.d.constant(hclLocal().FindStringSubmatch(s)[1]); value != "" {
			return value
		}
		return s
	})
}
