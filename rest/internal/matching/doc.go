// Package matching decides which webhooks and policies see a write: by rules about the operation and the resource, and
// by selectors of namespaces and objects. It decides as kube-apiserver does.
package matching
