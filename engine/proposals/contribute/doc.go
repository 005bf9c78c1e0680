// Package contribute offers a capability in force to another workspace: one commit on that
// workspace's main, on a branch of its inbox, with a draft that says where the capability comes from
// and who approved it. What becomes of it is decided there.
//
// It sends the files of capabilities and nothing else: no policies, souls, learned lists, history
// or journals of this workspace, and no record of a source. Content with a secret or with a path of
// this machine is refused.
package contribute
