package httpapi

// Chunk and InParts are for the tests of how lists are written.
const Chunk = chunk

var InParts = inParts[int]

// ImportLoad returns how many files of a user are worked on and how many wait.
func (a *API) ImportLoad(user string) (working, waiting int) { return a.queues.imports.Load(user) }
