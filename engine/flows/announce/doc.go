// Package announce tells a service that shows pull requests what validation found of a
// commit: a status, and one comment that later ones replace.
//
// It is for pull requests that no engine keeps a record of, such as those that people
// open by hand. It judges nothing and does not ask where a report comes from: whoever
// calls it has made sure that it is of that commit.
package announce
