package github

import (
	"regexp"
	"strings"
)

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9_])?$`)
	repoName  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
)

// nameOfOwner and nameOfRepo keep a path of the API to the repository that it names.
func nameOfOwner(s string) bool { return ownerName.MatchString(s) }
func nameOfRepo(s string) bool  { return repoName.MatchString(s) && strings.Trim(s, ".") != "" }
