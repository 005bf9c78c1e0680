// Package quarantine maintains the health of the capabilities in force: it surveys those with code
// in this installation, runs their tests when due or asked for, records the results, and opens one
// proposal, with the evidence, to repair or retire each content that was taken out of use. It
// withdraws the proposal if the content became healthy or is no longer in force.
//
// People decide about such a proposal, as about any other. The package changes no content in
// force, and runs only tests, in the given runner.
package quarantine
