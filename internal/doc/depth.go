package doc

// MaxDepth is how deep lists and maps may be nested in a document from outside. encoding/json has the same
// limit.
const MaxDepth = 10_000
