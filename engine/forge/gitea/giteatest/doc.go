// Package giteatest runs the real Gitea for tests: on the loopback interface, with a
// database of its own in a temporary folder, and with the users, tokens, repositories and
// branch protection that a test asks for.
//
// The program is built by .ci/gitea. Without it tests skip, and say how to get it.
package giteatest
