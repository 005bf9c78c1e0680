package proposal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fieldDepth is the depth of objects whose keys name fields; such keys are equal in upper
// and lower case.
const fieldDepth = 2

// oneReading refuses ambiguous JSON: a duplicate key in one object, or text after the
// value. The error is at dec's offset.
func oneReading(dec *json.Decoder) error {
	if err := readOnce(dec, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

func readOnce(dec *json.Decoder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, composite := token.(json.Delim)
	if !composite {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			if err := newKey(dec, seen, depth+1); err != nil {
				return err
			}
		}
		if err := readOnce(dec, depth+1); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

func newKey(dec *json.Decoder, seen map[string]bool, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	key, _ := token.(string)
	folded := key
	if depth <= fieldDepth {
		folded = strings.ToLower(key)
	}
	if seen[folded] {
		return fmt.Errorf("the key %q occurs twice in one object", key)
	}
	seen[folded] = true
	return nil
}
