package gitstore_test

import "github.com/assent-dev/assent/engine/git/gitstore/storetest"

// Short names for the helpers of storetest.
var (
	git       = storetest.Git
	tryGit    = storetest.TryGit
	newRepo   = storetest.NewRepo
	open      = storetest.Open
	person    = storetest.Person
	files     = storetest.Files
	commit    = storetest.Commit
	update    = storetest.Update
	write     = storetest.Write
	read      = storetest.Read
	workspace = storetest.Filled
	proposal  = storetest.Proposal
)
