package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrForm is returned for bytes that encoding the same record would not give.
var ErrForm = errors.New("not in canonical form")

// Line returns v as one JSON object on one line.
func Line(v any) ([]byte, error) { return encode(v, "") }

// Text returns v as indented JSON, for records that people read.
func Text(v any) ([]byte, error) { return encode(v, "  ") }

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err //nolint:wrapcheck // the caller says what the record is
	}
	return b.Bytes(), nil
}

// Digest returns "sha256:" and the hexadecimal digest of bytes.
func Digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// Encode returns a record that passes its own check as one JSON object on one line. what begins the error.
func Encode[T interface{ Check() error }](what string, r T) ([]byte, error) {
	err := r.Check()
	var data []byte
	if err == nil {
		data, err = Line(r)
	}
	return data, named(what, err)
}

// Decode decodes a T from its encoding, of at most so many bytes, and refuses any other encoding, so that
// a record has one signable form. T.Encode must refuse records that its package would not write, and check the
// format's version first, so that a newer program's record is reported as such. what begins the error.
func Decode[T interface{ Encode() ([]byte, error) }](what string, data []byte, most int) (T, error) {
	r, err := decode[T](data, most)
	return r, named(what, err)
}

func named(what string, err error) error {
	if err == nil || what == "" {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

func decode[T interface{ Encode() ([]byte, error) }](data []byte, most int) (T, error) {
	var none, r T
	if len(data) > most {
		return none, fmt.Errorf("%d bytes, at most %d", len(data), most)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return none, err //nolint:wrapcheck // the caller says what the record is
	}
	again, err := r.Encode()
	if err != nil {
		return none, err //nolint:wrapcheck // the caller says what the record is
	}
	if !bytes.Equal(again, data) {
		return none, ErrForm
	}
	return r, nil
}
