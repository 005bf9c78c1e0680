package keys

// unsupportedSync: Windows refuses to flush a folder's handle and needs no such
// thing, because it journals names itself.
func unsupportedSync(error) bool { return true }
