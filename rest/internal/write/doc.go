// Package write carries out the writes of an API: creates, updates, patches, applies, deletions, and the actions and
// connections of subresources. A handler or a typed client gets a [Write] from [Writes.New], says what the client
// wants, and runs it. steps.go has the steps of a write in their order, and each step is a method of Write in the file
// of its group.
//
// The package also calls the admission hooks, and holds what a hook sees of a write. It takes what a kind is from package
// resource, which does not know it, and knows nothing of HTTP.
package write
