package scan

// Layer groups rules by the kind of thing they examine.
type Layer string

// The layers, in the order in which docs/checks.md treats them.
const (
	Readable     Layer = "Readable files"
	Unicode      Layer = "Deceptive characters"
	Hidden       Layer = "Hidden text"
	Instructions Layer = "Instructions"
	Code         Layer = "Code"
	Packages     Layer = "Packages and servers"
	Declaration  Layer = "Declared and used"
	Prerequisite Layer = "Fake prerequisites"
	Secrets      Layer = "Secrets"
	Delta        Layer = "What a change adds"
)
