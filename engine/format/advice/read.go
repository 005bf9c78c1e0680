package advice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Read decodes an answer of at most max bytes into v. The answer must be one JSON value
// without fields that v lacks.
func Read(answer []byte, max int, v any) error {
	if len(answer) > max {
		return fmt.Errorf("the answer has more than %d bytes", max)
	}
	dec := json.NewDecoder(bytes.NewReader(answer))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("the answer does not have the requested form: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the answer has more than one JSON value: text follows it")
	}
	return nil
}
