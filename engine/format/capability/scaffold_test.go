package capability

import (
	"bytes"
	"testing"
)

// TestExpand: values are inserted literally, and an unknown name is an error.
func TestExpand(t *testing.T) {
	values := map[string]string{"Name": "{{if Empty}} {{Name}} {{end}}", "Empty": ""}
	for _, c := range []struct{ text, want string }{
		{"a {{Name}} b{{Empty}}\n", "a {{if Empty}} {{Name}} {{end}} b\n"},
		{"{{if Name}}\nin\n{{end}}\n{{if Empty}}\nout {{Unknown}}\n{{end}}\nlast", "in\nlast"},
	} {
		var b bytes.Buffer
		if err := expand(&b, c.text, values); err != nil || b.String() != c.want {
			t.Errorf("%q becomes %q (%v)", c.text, b.String(), err)
		}
	}
	if err := expand(new(bytes.Buffer), "{{Unknown}}", values); err == nil {
		t.Error("an unknown name was taken")
	}
}
