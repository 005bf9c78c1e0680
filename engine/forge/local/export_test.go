package local

// KeepsRoom exports keepsRoom.
var KeepsRoom = record.keepsRoom

// Journals exports the record of a forge.
func (f *Forge) Journals() record { return f.record }
