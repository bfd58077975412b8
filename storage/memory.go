package storage

// Memory is an [Engine] that keeps objects in memory only.
type Memory = Engine

// MemoryOptions configures a [Memory].
type MemoryOptions = Options

// NewMemory returns an empty store that keeps objects in memory only. The caller must close it.
func NewMemory(opts MemoryOptions) *Memory {
	opts = opts.withDefaults()
	return newEngine(nil, opts, Start{Revision: opts.Start, Oldest: opts.Start})
}
