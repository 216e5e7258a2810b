package files

// WithMemory returns options with which few rows and few bytes of blocks are held in
// memory.
func (o Options) WithMemory(rows int, bytes int64) Options {
	o.maxPending, o.maxHeld = rows, bytes
	return o
}
