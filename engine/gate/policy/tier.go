package policy

import (
	"fmt"
	"slices"
)

// Tier orders changes by how much harm they could do. The zero value means underived,
// and is treated as Critical.
type Tier int

// The tiers, from harmless to forbidden.
const (
	UnknownTier Tier = iota
	Low
	Medium
	High
	Critical
	// Prohibited changes never merge, even if approved.
	Prohibited
)

var tierNames = [...]string{"unknown", "low", "medium", "high", "critical", "prohibited"}

// String returns the tier's name.
func (t Tier) String() string {
	if t < 0 || int(t) >= len(tierNames) {
		return fmt.Sprintf("tier(%d)", int(t))
	}
	return tierNames[t]
}

// MarshalText writes the tier's name.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a tier's name; the empty text is UnknownTier.
func (t *Tier) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*t = UnknownTier
		return nil
	}
	i := slices.Index(tierNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown risk tier %q (want low, medium, high, critical or prohibited)", text)
	}
	*t = Tier(i)
	return nil
}

// Class rates a capability's possible effects on the outside world (seed: CapabilityClass).
type Class int

// The classes. Safe ones have no external effect at all.
const (
	UnknownClass Class = iota
	Safe
	LowClass
	MediumClass
	HighClass
	ProhibitedClass
)

var classNames = [...]string{"unknown", "safe", "low", "medium", "high", "prohibited"}

// String returns the class's name.
func (c Class) String() string {
	if c < 0 || int(c) >= len(classNames) {
		return fmt.Sprintf("class(%d)", int(c))
	}
	return classNames[c]
}

// MarshalText writes the class's name.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a class's name.
func (c *Class) UnmarshalText(text []byte) error {
	i := slices.Index(classNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown class %q (want unknown, safe, low, medium, high or prohibited)", text)
	}
	*c = Class(i)
	return nil
}

// tier returns the least tier of a change that touches a capability of class c.
func (c Class) tier() Tier {
	switch c {
	case Safe, LowClass:
		return Low
	case MediumClass:
		return Medium
	case HighClass:
		return High
	case ProhibitedClass:
		return Prohibited
	default:
		return Critical
	}
}
