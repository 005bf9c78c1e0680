package strictyaml

// Limits bound what one file may cost. A zero field means that nothing of that
// kind is admitted, so start from DefaultLimits.
type Limits struct {
	// Bytes is the largest input.
	Bytes int
	// Depth is the deepest nesting of mappings and sequences.
	Depth int
	// Nodes is the largest number of keys and values as written.
	Nodes int
	// Scalar is the largest single value in bytes.
	Scalar int
	// AliasExpansion is how many values all aliases together may stand for.
	AliasExpansion int
}

// DefaultLimits suits files that people write by hand: 1 MiB, 64 levels,
// 50 000 values, 256 KiB in one value, 1 000 values through aliases.
func DefaultLimits() Limits {
	return Limits{Bytes: 1 << 20, Depth: 64, Nodes: 50_000, Scalar: 256 << 10, AliasExpansion: 1000}
}
