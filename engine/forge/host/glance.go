package host

import (
	"context"
	"time"
)

// Patience is how long a service may take to answer somebody who only looks.
const Patience = 3 * time.Second

type glanceKey struct{}

// Glance marks calls as those of somebody who only looks, and can go on without an answer:
// a service that fails, limits or takes longer than Patience is away at once, and is not
// asked again. Whoever changes something waits.
func Glance(ctx context.Context) context.Context { return context.WithValue(ctx, glanceKey{}, true) }

// Glancing tells whether calls are marked so.
func Glancing(ctx context.Context) bool {
	marked, _ := ctx.Value(glanceKey{}).(bool)
	return marked
}
