package proposal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fieldDepth is how deep the objects are whose keys name fields: those are the same in
// upper and lower case.
const fieldDepth = 2

// oneReading refuses JSON that two readers could take for two things: a key twice in one
// object, or something behind the value. The error stands at dec's offset.
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
		return fmt.Errorf("the key %q stands twice in one object", key)
	}
	seen[folded] = true
	return nil
}
