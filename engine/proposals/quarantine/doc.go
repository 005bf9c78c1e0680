// Package quarantine looks after the health of what is in force: it says how the
// capabilities with code hold up in this installation, runs their tests where that is
// due or asked for, notes what they came to, and opens for each content that was taken
// out of use a proposal to repair or to retire it, once, with the evidence. What has
// become healthy, or is in force no longer, it withdraws again.
//
// People decide about such a proposal, as about any other. The package changes nothing
// that is in force, and runs nothing but tests, in the runner that it is given.
package quarantine
