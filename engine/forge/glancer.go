package forge

// Glancer is a Forge that asks a service, and can do without its answer.
type Glancer interface {
	// Glancing returns a forge for those who only look: where the service does not answer, or
	// refuses the login, what the record tells is the answer, and say is told once why.
	// Whoever decides must not read by it: what people did on the service may be missing.
	Glancing(say func(error)) Forge
}
