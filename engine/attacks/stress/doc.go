// Package stress holds tests only: the real program, as many processes at once as
// there are agents, killed with SIGKILL at random moments, beside ordinary git that
// packs, collects garbage, commits, fetches and pushes in the same repository.
//
// A checker of its own decides the outcome. It gets the acknowledgements of the processes, reads
// nothing but git's output and the files of refs, and shares no code with the engine. Otherwise a
// mistake in how the engine reads its own data would hide itself. TestCheckerNames shows that it
// can fail.
//
// Beside a real Gitea (TestEnginesBesideGitea) the network is bad as well: a proxy loses, delays,
// doubles and cuts off requests and answers, and kills an engine exactly between the push of a
// merge and its answer. There the checker reads a fresh clone and Gitea's API.
//
// ASSENT_STRESS=nightly makes the runs long; ASSENT_STRESS_SEED repeats the choices
// of a run, though not the moments at which the machine was busy.
package stress
