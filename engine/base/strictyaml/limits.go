package strictyaml

// Limits bound the cost of one file. A zero field admits nothing of its kind, so start from
// DefaultLimits.
type Limits struct {
	// Bytes is the largest input.
	Bytes int
	// Depth is the deepest nesting of mappings and sequences.
	Depth int
	// Nodes is the largest number of keys and values, with aliases unexpanded.
	Nodes int
	// Scalar is the largest single value in bytes.
	Scalar int
	// Entries is the largest number of entries of one list or mapping: readers compare entries
	// with each other, and look up the place of each.
	Entries int
	// AliasExpansion is the largest number of values that all aliases together expand to.
	AliasExpansion int
}

// DefaultLimits suits handwritten files: 1 MiB, 64 levels, 50 000 values, 5 000 entries of one
// list, 256 KiB in one value, 1 000 values through aliases.
func DefaultLimits() Limits {
	return Limits{Bytes: 1 << 20, Depth: 64, Nodes: 50_000, Entries: 5000, Scalar: 256 << 10, AliasExpansion: 1000}
}
