package doc

// MaxDepth is how deep lists and maps may be nested in a document that comes from outside. It is the limit that
// encoding/json has.
const MaxDepth = 10_000
