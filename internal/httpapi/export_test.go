package httpapi

import (
	"context"
	"reflect"

	"fillbook/internal/intake/kinds"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Chunk and WriteInChunks are for testing how lists are written.
const Chunk = chunk

var WriteInChunks = writeInChunks[int]

// RecordTypes are the records in lists, for the test following every field.
var RecordTypes = map[string]reflect.Type{
	"trade": reflect.TypeFor[Trade](), "orphan": reflect.TypeFor[orphan](), "execution": reflect.TypeFor[Execution](),
	"cash": reflect.TypeFor[ledger.Cash](), "note": reflect.TypeFor[playbook.Note](), "setup": reflect.TypeFor[playbook.Setup](),
	"missed trade": reflect.TypeFor[missedTrade](), "routine item": reflect.TypeFor[RoutineItem](), "tag": reflect.TypeFor[tag](), "view": reflect.TypeFor[savedView](), "rate": reflect.TypeFor[typedRate](),
	"note template": reflect.TypeFor[noteTemplate](),

	"corporate action": reflect.TypeFor[corporateAction](),
	"import kind":      reflect.TypeFor[kinds.WordKind](),
	"import layout":    reflect.TypeFor[importLayout](), "settings": reflect.TypeFor[journalSettings](),
}

// NewExecutionType is the body for POST /executions.
var NewExecutionType = reflect.TypeFor[newExecution]()

// ImportLoad returns how many of a user's files are processed and how many wait.
func (a *API) ImportLoad(user string) (working, waiting int) { return a.queues.imports.Load(user) }

// ExportLoad returns how many of a user's exports are written and how many wait.
func (a *API) ExportLoad(user string) (working, waiting int) { return a.queues.exports.Load(user) }

// HoldExport occupies a user's export place until release is called.
func (a *API) HoldExport(ctx context.Context, user string) (release func(), err error) {
	return a.queues.exports.Acquire(ctx, user)
}
