package history

import (
	"context"

	"fillbook/internal/base/journal"
)

type actorKey struct{}

// WithActor returns a context whose writes are the actor's. Without one they are the
// command line's.
func WithActor(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

func actorOf(ctx context.Context) Actor {
	if actor, ok := ctx.Value(actorKey{}).(Actor); ok {
		return actor
	}
	return Actor{Kind: ByCLI}
}

// Outcome receives the id of the change that a request leaves.
type Outcome struct {
	// Change is empty if no write changed anything.
	Change journal.ChangeID
	// Count is how many changes were left.
	Count int
}

type outcomeKey struct{}

// WithOutcome returns a context whose writes store their change's id in the outcome. A
// context that has one already keeps it.
func WithOutcome(ctx context.Context) (context.Context, *Outcome) {
	if outcome := outcomeOf(ctx); outcome != nil {
		return ctx, outcome
	}
	outcome := &Outcome{}
	return context.WithValue(ctx, outcomeKey{}, outcome), outcome
}

func outcomeOf(ctx context.Context) *Outcome {
	outcome, _ := ctx.Value(outcomeKey{}).(*Outcome)
	return outcome
}
