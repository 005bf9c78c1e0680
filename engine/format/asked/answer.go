package asked

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Read reads an answer of at most so many bytes: one JSON value of the form of v, without
// fields that v does not have.
func Read(answer []byte, most int, v any) error {
	if len(answer) > most {
		return fmt.Errorf("the answer has more than %d bytes", most)
	}
	dec := json.NewDecoder(bytes.NewReader(answer))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("the answer is not what was asked for: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the answer is not what was asked for: something stands behind it")
	}
	return nil
}
