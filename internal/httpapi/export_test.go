package httpapi

// Chunk and InParts are for the tests of how lists are written.
const Chunk = chunk

var InParts = inParts[int]
