// Package simulate shows the effect of a change of policies: it judges past and open proposals by
// the policies in force and by others, on the recorded facts, and reports the different answers.
//
// It decides nothing and changes nothing but one remark on the pull request with the change.
// Validation results are taken as recorded: other limits on content and other waivers would show
// only in a new validation.
package simulate
