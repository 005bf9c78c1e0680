// Package announce publishes the validation result of a commit on a service with pull
// requests: a status, and one comment that later ones replace.
//
// It is for pull requests without an engine's record, such as those opened by hand. It
// judges nothing; the caller guarantees that the report is of that commit.
package announce
