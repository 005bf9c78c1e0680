package hosted

import "github.com/assent-dev/assent/engine/remote"

// BeforePush and AfterPush let a test end an operation around a push to the remote.
func BeforePush(f *Forge, kill func([]remote.Move) error) { f.before = kill }
func AfterPush(f *Forge, kill func([]remote.Move) error)  { f.afterwards = kill }
