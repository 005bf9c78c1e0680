package tool

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// redacted removes secrets from a result. The sandbox removed them from the output, but JSON
// can spell any letter in many ways (\u0061), which decoding undoes.
func (res *Result) redacted(secrets map[string]string) error {
	if len(secrets) == 0 {
		return nil
	}
	r := redact.New(secrets)
	for _, text := range []*string{&res.Error, &res.Hint, &res.Printed, &res.last} {
		*text = r.String(*text)
	}
	faults := make([]capability.Fault, len(res.Faults))
	for i, f := range res.Faults {
		faults[i] = capability.Fault{Pointer: r.String(f.Pointer), Message: r.String(f.Message)}
	}
	if len(faults) > 0 {
		res.Faults = faults
	}
	for _, data := range []*json.RawMessage{&res.Result, &res.Answer, &res.Input} {
		if len(*data) == 0 {
			continue
		}
		value, err := decode(*data)
		if err != nil {
			return err
		}
		if *data, err = encode(cleaned(r, value)); err != nil {
			return err
		}
	}
	return nil
}

// cleaned gives plain data in which no text and no key holds a secret.
func cleaned(r *redact.Redactor, value any) any {
	switch v := value.(type) {
	case string:
		return r.String(v)
	case json.Number:
		if text := r.String(v.String()); text != v.String() {
			return text
		}
	case []any:
		for i := range v {
			v[i] = cleaned(r, v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, each := range v {
			out[r.String(key)] = cleaned(r, each)
		}
		return out
	}
	return value
}

// redactedMethods removes secrets from a server's descriptions of its methods.
func redactedMethods(methods []capability.Method, secrets map[string]string) error {
	if len(secrets) == 0 {
		return nil
	}
	r := redact.New(secrets)
	for i := range methods {
		m := &methods[i]
		m.Name, m.Description = r.String(m.Name), r.String(m.Description)
		schema, err := encode(m.Input)
		if err != nil {
			return fmt.Errorf("read the method %s: %w", m.Name, err)
		}
		value, err := decode(schema)
		if err != nil {
			return err
		}
		if schema, err = encode(cleaned(r, value)); err != nil {
			return err
		}
		m.Input = nil // numbers are as the library reads them
		if err := json.Unmarshal(schema, &m.Input); err != nil {
			return fmt.Errorf("read the method %s: %w", m.Name, err)
		}
	}
	return nil
}
