// Package conventions checks the Go types of a host's kinds against the Kubernetes API conventions, like a careful
// reviewer.
//
// The API conventions are the rules of the Kubernetes project for kinds that people and tools find familiar: how a
// field is named, when it is a pointer, which bounds it needs, what belongs into the status. Package rest enforces few
// of them, because they are about taste as well as about compatibility, and because some hosts have reasons to differ.
// This package states all of them that a program can check. Each one is a [Rule], and docs/designing-kinds.md explains
// it, with a wrong and a right line. A rule has a [Severity].
//
// A test calls [Vet], so that a change of a type that breaks a convention fails before clients depend on it. A host
// that differs on purpose lists its [Exceptions] with their reasons. [Findings] returns the same results to other
// programs, and [FindingsInDefinition] those about a CustomResourceDefinition. The command in cmd/vetkinds checks files
// of definitions.
package conventions
