// Package lockstep makes the build fail, with a message that says why, if a program has two versions of modules of this
// project that are released in lockstep: modules that use internal packages of each other. Today these are the core and
// the modules cel and rest/vettags.
//
// A release puts its version in place of unreleased, here and where the modules refer to the names (.ci/release-form).
// The package must exist under this path in every release.
package lockstep

// Each name serves as an error message. In a program with another version of the module, the compiler reports that the
// name is undefined.
const (
	Decorum_and_its_module_cel_must_have_the_same_version_in_go_mod_but_cel_is_unreleased         = true
	Decorum_and_its_module_vettags_must_have_the_same_version_in_go_mod_but_vettags_is_unreleased = true
)
