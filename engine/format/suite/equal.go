package suite

import (
	"encoding/json"
	"strconv"
	"strings"
)

// equal compares values as JSON. The order of members is irrelevant. Numbers are equal by
// value (1, 1.0 and 10e-1 are one number, integers of any length exact); numbers with a
// fraction are also equal if they are the same 64-bit floating-point number. There is no
// other tolerance: 0.1 + 0.2 is not 0.3.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, there := b[k]; !there || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(string(a), string(b))
	}
	switch b.(type) {
	case map[string]any, []any, json.Number:
		return false
	}
	return a == b // null, booleans, texts
}

func equalNumbers(a, b string) bool {
	x, y := numberOf(a), numberOf(b)
	if x == y {
		return true
	}
	if x.whole() && y.whole() {
		return false
	}
	f, errF := strconv.ParseFloat(a, 64)
	g, errG := strconv.ParseFloat(b, 64)
	return errF == nil && errG == nil && f == g
}

// number is a decimal without redundant zeros: 0.digits × 10^exponent.
type number struct {
	negative bool
	digits   string
	exponent int64
}

func (n number) whole() bool { return n.exponent >= int64(len(n.digits)) }

// numberOf reads a JSON number. Extreme exponents are clamped.
func numberOf(text string) number {
	var n number
	text, n.negative = strings.CutPrefix(text, "-")
	mantissa := text
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		// out of range, ParseInt returns the nearest number
		n.exponent, _ = strconv.ParseInt(text[i+1:], 10, 32)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	stripped := strings.TrimLeft(digits, "0")
	n.exponent += int64(len(whole) - (len(digits) - len(stripped)))
	if n.digits = strings.TrimRight(stripped, "0"); n.digits == "" {
		return number{} // zero, also with a sign
	}
	return n
}

// contains reports whether part is in whole: a text in a text, an element in a list, the
// entries of an object in an object. Every element of a list must be contained.
func contains(whole, part any) bool {
	if parts, ok := part.([]any); ok {
		for _, p := range parts {
			if !holds(whole, p) {
				return false
			}
		}
		return true
	}
	return holds(whole, part)
}

func holds(whole, part any) bool {
	switch whole := whole.(type) {
	case string:
		text, ok := part.(string)
		return ok && strings.Contains(whole, text)
	case []any:
		for _, e := range whole {
			if matches(e, part) {
				return true
			}
		}
		return false
	}
	return matches(whole, part)
}

// matches reports whether value equals part, or is an object with all of its entries.
func matches(value, part any) bool {
	entries, ok := part.(map[string]any)
	object, is := value.(map[string]any)
	if !ok || !is {
		return equal(value, part)
	}
	for k, want := range entries {
		if got, there := object[k]; !there || !matches(got, want) {
			return false
		}
	}
	return true
}
