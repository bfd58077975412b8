// Package lockstep compiles only with the version of the core that this module belongs to, because the module uses
// internal packages of the core.
//
// If your build stops here, require one version of both modules:
//
//	go get github.com/decorum-go/decorum@v1.2.3 github.com/decorum-go/decorum/rest/vettags@v1.2.3
package lockstep

import "github.com/decorum-go/decorum/internal/lockstep"

const _ = lockstep.Decorum_and_its_module_vettags_must_have_the_same_version_in_go_mod_but_vettags_is_unreleased
