// Package storagetest proves that a [storage.Store] keeps its contract. The tests of a store or a backend call [Run]
// with a [Subject]. Each case states the rule that it proves and prints it on failure. After each case, Run checks the
// invariants of the whole store. [Insist], [Exceeded] and [RunAgain] help authors to write tests of their own.
//
// This package may change until v1.1 (docs/stability.md).
package storagetest
