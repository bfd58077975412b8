// Package oldfiles opens files that older programs have written. Each folder of testdata is named for the commit of
// such a program. It has the packed file, and what the program answered when it last read the objects: kinds of Go in
// two versions, objects that expire or wait for a finalizer, a kind of a definition, roles, and sealed objects.
//
// The package contains only tests.
package oldfiles
