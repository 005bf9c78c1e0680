package run

// The bounds of the artifacts of one script.
const (
	MaxArtifacts     = 100
	MaxArtifactBytes = 4 << 20
)

// Artifacts are the files that a script made, as the tree of a commit that a ref keeps (runlog.ArtifactsPrefix).
type Artifacts struct {
	Commit string     `json:"commit"`
	Files  []Artifact `json:"files"`
}

// Artifact is one file. Digest is the SHA-256 of its bytes, such as sha256:9f86….
type Artifact struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`
	Digest string `json:"digest"`
}
