// Package proof defines the record of test results: the trial of one capability, the
// digest of everything its outcome depends on, and the record of trials kept beside a
// proposal.
//
// Package prove runs the tests. A record may be forged by anyone who can write the
// journal, so no merge relies on one: the merging engine runs the tests again, and the
// signed attestation of the merge has the results. Package policy decides whether they
// suffice.
package proof
