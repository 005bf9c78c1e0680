package gitstore

import "github.com/assent-dev/assent/engine/base/tree"

// Size implements tree.Sizer. It reads the blob's header, not its content.
func (s *Snapshot) Size(e tree.Entry) (int64, error) { return s.objects.BlobSize(e.Hash) }
