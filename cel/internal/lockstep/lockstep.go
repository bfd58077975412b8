// Package lockstep does not compile if the program has another version of the core than of this module, which uses
// internal packages of the core. It is a package of its own so that the compiler reports this and nothing that follows
// from it.
//
// If your build stops here, require one version of both modules:
//
//	go get github.com/decorum-go/decorum@v1.2.3 github.com/decorum-go/decorum/cel@v1.2.3
package lockstep

import "github.com/decorum-go/decorum/internal/lockstep"

const _ = lockstep.Decorum_and_its_module_cel_must_have_the_same_version_in_go_mod_but_cel_is_unreleased
