// Package simulate says what a change of policies would have changed: it judges past
// and open proposals by the policies in force and by others, on the facts that were
// recorded, and tells where the answers differ.
//
// It decides nothing and changes nothing but one remark on the pull request that asks
// for the change. What validation found is taken as it was recorded: other limits on
// content and other waivers would show only when something is validated again.
package simulate
