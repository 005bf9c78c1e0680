package capability

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/assent-dev/assent/engine/base/strictyaml"
)

var statusLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^status:[ \t]*[a-z]+`) })

// SetStatus returns a capability.yaml with another status and all other bytes unchanged.
// ok is false if it cannot edit the file's form, such as a record on one line.
func SetStatus(src []byte, to Status) (out []byte, ok bool) {
	if at := statusLine().FindIndex(src); at != nil {
		out = append(append(append(out, src[:at[0]]...), "status: "+string(to)...), src[at[1]:]...)
	} else {
		out = append(out, src...)
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		out = append(out, "status: "+string(to)+"\n"...)
	}
	doc, found := strictyaml.Parse(RecordFile, out, 1, strictyaml.DefaultLimits())
	if found.HasErrors() {
		return nil, false
	}
	text, _ := doc.Root().Get("status").Text()
	return out, text == string(to)
}
