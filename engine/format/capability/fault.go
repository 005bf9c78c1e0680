package capability

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Fault is one reason why a value does not fit a schema.
type Fault struct {
	// Pointer is the place in the value (RFC 6901); empty is the whole value.
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// maxFaults bounds the number of reasons.
const maxFaults = 10

// Faults lists up to ten reasons why value, plain data or json.RawMessage, does not fit
// the schema; none if it fits. The error reports a value that is not JSON.
func (s *Schema) Faults(value any) ([]Fault, error) {
	doc, err := plainJSON(value)
	if err != nil {
		return nil, err
	}
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(doc); !errors.As(err, &invalid) {
		return nil, err
	}
	var out []Fault
	leaves(invalid, message.NewPrinter(language.English), &out)
	return out, nil
}

// leaves collects the causes that have no causes of their own.
func leaves(e *jsonschema.ValidationError, p *message.Printer, out *[]Fault) {
	if len(*out) >= maxFaults {
		return
	}
	if len(e.Causes) == 0 {
		*out = append(*out, Fault{Pointer: pointer(e.InstanceLocation), Message: clip(e.ErrorKind.LocalizedString(p))})
	}
	for _, cause := range e.Causes {
		leaves(cause, p, out)
	}
}

// faultTexts returns the faults as text, without repetitions.
func faultTexts(e *jsonschema.ValidationError) []string {
	var all []Fault
	leaves(e, message.NewPrinter(language.English), &all)
	var out []string
	for _, f := range all {
		if text := f.String(); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(t, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// String returns the fault in one line.
func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}
