// Package storagetest proves that a [storage.Store] keeps its promises. A backend's tests call [Run]; each case carries the sentence of the rule it
// proves and prints it when it fails, and after each case the whole store is checked.
package storagetest
