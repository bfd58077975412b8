// Package apitest is what the tests of rest and of its rooms stand on: an API with predictable answers, requests to it,
// what its answers must be, and the kinds that it serves. Only tests import it.
//
// A test takes the kind that shows its point:
//
//   - [Widget] is a custom kind, with subresources ([Paint], [Restart]), and [Dial] is one whose zeros mean something.
//   - [Memo] is a kind in the built-in dialect, and [Namespace] the one of the core group.
//   - [Cog] has several versions.
//   - [Lanterns] come from a definition: they have a schema and no Go type. [ShipDefinition] is a CustomResourceDefinition.
//   - [Thing] has streams ([ThingLog], [ThingExec]), and fields in which input can be wrong in many ways.
//   - [PaddedThing] is as large as a test likes.
//
// [Sum], [Settings] and [Zone] are forms that a custom kind can have: a call, a kind with one object, a kind outside of
// namespaces. A kind that only one story needs stands beside the tests of that story.
package apitest
