// Package admission has the words of admission hooks: host code that sees the writes of many kinds. A [Hook] changes or
// refuses a write, which it sees as a [Request]. Options.Admission of package rest takes hooks, and so does the Plugin of
// an extension; packages rest/webhook and rest/policy have ready ones.
//
// A rule of one kind that does not depend on the user belongs in the Hooks of the kind's Resource.
package admission
